import { runRepublish } from './ingestion/run-republish.js';

process.exit(await runRepublish(process.argv.slice(2), process.env));
