import { runRestored } from './restored/run-restored.js';

process.exit(await runRestored(process.argv.slice(2), process.env));
