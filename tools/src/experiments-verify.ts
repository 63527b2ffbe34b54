import { runExperimentsVerify } from './experiments/run-experiments-verify.js';

process.exit(await runExperimentsVerify(process.env));
