import type { MigrationConstructor } from '@truetally/persistence';
import { CreateManagement1763600000000 } from './1763600000000-create-management.js';

/** Every migration of the service, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [CreateManagement1763600000000];
