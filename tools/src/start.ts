import { silenceDriverWarning } from './quiet-warnings.js';
import { runStack } from './stack/run-stack.js';

silenceDriverWarning();
const exitCode = await runStack(process.argv.slice(2), process.env);
// An unforeseen error on the way has set one already.
process.exit(process.exitCode ?? exitCode);
