import { runRotation } from './keys/run-rotation.js';

process.exit(await runRotation(process.argv.slice(2), process.env));
