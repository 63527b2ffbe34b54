import { migrateService } from '@truetally/service';
import { readMigrationConfig } from './config.js';
import { MIGRATIONS } from './storage/migrations/migrations.js';

await migrateService('analytics', readMigrationConfig(), MIGRATIONS);
