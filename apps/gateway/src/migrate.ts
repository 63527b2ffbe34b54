import { migrate } from '@truetally/persistence';
import { createLogger } from '@truetally/platform';
import { readMigrationConfig } from './config.js';
import { HourlyUsage1763600000000 } from './storage/migrations/hourly-usage-1763600000000.js';

const config = readMigrationConfig();
const log = createLogger({ service: 'gateway', instance: 'migrate', level: config.LOG_LEVEL });
const done = await migrate({
  url: config.DATABASE_URL,
  schema: config.DATABASE_SCHEMA,
  role: config.DATABASE_ROLE,
  rolePassword: config.DATABASE_ROLE_PASSWORD,
  migrations: [HourlyUsage1763600000000],
});
log.info({ migrations: done }, 'The schema is up to date.');
