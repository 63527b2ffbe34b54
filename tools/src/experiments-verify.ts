import { verifyService } from './stack/verify-service.js';

process.exit(await verifyService('experiments', process.env));
