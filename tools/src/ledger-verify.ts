import { runVerify } from './ledger/run-verify.js';

process.exit(await runVerify(process.argv.slice(2), process.env));
