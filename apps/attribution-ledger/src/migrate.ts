import { migrate } from '@truetally/persistence';
import { createLogger } from '@truetally/platform';
import { readMigrationConfig } from './config.js';
import { MIGRATIONS } from './storage/migrations/index.js';

const config = readMigrationConfig();
const log = createLogger({ service: 'attribution-ledger', instance: 'migrate', level: config.LOG_LEVEL });
const done = await migrate({
  url: config.DATABASE_URL,
  schema: config.DATABASE_SCHEMA,
  role: config.DATABASE_ROLE,
  rolePassword: config.DATABASE_ROLE_PASSWORD,
  migrations: MIGRATIONS,
});
log.info({ migrations: done }, 'The schema is up to date.');
