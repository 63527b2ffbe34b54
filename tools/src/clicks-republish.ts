import { runRepublish } from './republish/run-republish.js';

process.exit(await runRepublish('ingestion', process.argv.slice(2), process.env));
