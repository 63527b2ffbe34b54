import { migrateService } from '@truetally/service/migrate-service';
import { readMigrationConfig } from './config.js';
import { MIGRATIONS } from './storage/migrations/migrations.js';

await migrateService('experiments', readMigrationConfig(), MIGRATIONS);
