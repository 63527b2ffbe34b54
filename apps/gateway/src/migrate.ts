import { migrateService } from '@truetally/service';
import { readMigrationConfig } from './config.js';
import { HourlyUsage1763600000000 } from './storage/migrations/hourly-usage-1763600000000.js';

await migrateService('gateway', readMigrationConfig(), [HourlyUsage1763600000000]);
