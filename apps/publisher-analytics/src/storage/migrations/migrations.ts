import type { MigrationConstructor } from '@truetally/persistence';
import { CreatePublisher1795363200000 } from './1795363200000-create-publisher.js';
import { ErasePeople1796100000000 } from './1796100000000-erase-people.js';

/** Every migration of the service, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [
  CreatePublisher1795363200000,
  ErasePeople1796100000000,
];
