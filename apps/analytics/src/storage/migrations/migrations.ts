import type { MigrationConstructor } from '@truetally/persistence';
import { CreateAnalytics1796100000000 } from './1796100000000-create-analytics.js';

/** Every migration of the service, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [CreateAnalytics1796100000000];
