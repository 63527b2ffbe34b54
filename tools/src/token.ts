import { runToken } from './token/run-token.js';

process.exitCode = await runToken(process.argv.slice(2), process.env);
