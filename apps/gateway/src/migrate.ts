import { migrateService } from '@truetally/service/migrate-service';
import { readMigrationConfig } from './config.js';
import { HourlyUsage1763600000000 } from './storage/migrations/1763600000000-hourly-usage.js';

await migrateService('gateway', readMigrationConfig(), [HourlyUsage1763600000000]);
