import type { MigrationConstructor } from '@truetally/persistence';
import { CreateEvents1767225600000 } from './1767225600000-create-events.js';

/** Every migration of the service, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [CreateEvents1767225600000];
