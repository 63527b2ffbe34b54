import type { MigrationConstructor } from '@truetally/persistence';
import { CreateEvents1767225600000 } from './1767225600000-create-events.js';
import { ErasePeople1796100000000 } from './1796100000000-erase-people.js';

/** Every migration of the service, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [
  CreateEvents1767225600000,
  ErasePeople1796100000000,
];
