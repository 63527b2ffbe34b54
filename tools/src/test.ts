import { silenceDriverWarning } from './quiet-warnings.js';
import { runTests } from './run-tests/run-tests.js';

silenceDriverWarning();
process.exit(await runTests(process.argv.slice(2)));
