import { silenceDriverWarning } from './quiet-warnings.js';
import { runStack } from './stack/run-stack.js';

silenceDriverWarning();
const exitCode = await runStack(process.argv.slice(2), process.env);
// An unexpected error has already set one.
process.exit(process.exitCode ?? exitCode);
