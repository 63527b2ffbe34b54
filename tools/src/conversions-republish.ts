import { runRepublish } from './republish/run-republish.js';

process.exit(await runRepublish('attribution-ledger', process.argv.slice(2), process.env));
