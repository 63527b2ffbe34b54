import { verifyService } from './stack/verify-service.js';

process.exit(
  await verifyService('analytics', process.env, {
    INGESTION_SCHEMA: 'ingestion',
    LEDGER_SCHEMA: 'attribution_ledger',
  }),
);
