import { silenceDriverWarning } from './quiet-warnings.js';
import { runWay } from './way/run-way.js';

silenceDriverWarning();
process.exit(await runWay(process.argv.slice(2)));
