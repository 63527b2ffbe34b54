import { silenceDriverWarning } from './quiet-warnings.js';
import { runMutations } from './run-tests/run-tests.js';

silenceDriverWarning();
process.exit(await runMutations(process.argv.slice(2)));
