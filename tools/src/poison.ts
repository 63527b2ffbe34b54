import { runPoison } from './poison/run-poison.js';

process.exitCode = await runPoison(process.argv.slice(2), process.env);
