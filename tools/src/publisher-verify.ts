import { verifyService } from './stack/verify-service.js';

process.exit(await verifyService('publisher-analytics', process.env, { INGESTION_SCHEMA: 'ingestion' }));
