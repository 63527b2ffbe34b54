import { runAccess } from './kafka/run-access.js';

process.exitCode = await runAccess(process.argv.slice(2), process.env);
