import { runExport } from './ledger/run-export.js';

process.exit(await runExport(process.argv.slice(2), process.env));
