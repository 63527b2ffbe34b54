import { migrateService } from '@truetally/service';
import { readMigrationConfig } from './config.js';
import { MIGRATIONS } from './storage/migrations/index.js';

await migrateService('publisher-analytics', readMigrationConfig(), MIGRATIONS);
