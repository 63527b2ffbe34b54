import { verifyService } from './stack/verify-service.js';

const { DATABASE_URL, LEDGER_SCHEMA = DATABASE_URL === undefined ? 'attribution_ledger' : '' } = process.env;
process.exit(await verifyService('analytics', { ...process.env, LEDGER_SCHEMA }));
