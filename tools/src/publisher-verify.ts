import { runPublisherVerify } from './publisher/run-verify.js';

process.exit(await runPublisherVerify(process.env));
