import { migrateService } from '@truetally/service';
import { readMigrationConfig } from './config.js';
import { HourlyUsage1763600000000 } from './storage/migrations/1763600000000-hourly-usage.js';

await migrateService('gateway', readMigrationConfig(), [HourlyUsage1763600000000]);
