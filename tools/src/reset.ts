import { resetStack } from './stack/reset-stack.js';

process.exit(await resetStack(process.env));
