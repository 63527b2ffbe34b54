import { silenceDriverWarning } from './quiet-warnings.js';
import { runStack } from './stack/run-stack.js';

silenceDriverWarning();
process.exit(await runStack(process.argv.slice(2), process.env));
