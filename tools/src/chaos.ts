import { runChaos } from './lab/chaos/run-chaos.js';
import { silenceDriverWarning } from './quiet-warnings.js';

silenceDriverWarning();
process.exit(await runChaos(process.argv.slice(2)));
