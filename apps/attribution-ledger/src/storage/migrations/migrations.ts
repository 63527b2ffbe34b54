import type { MigrationConstructor } from '@truetally/persistence';
import { CreateLedger1767312000000 } from './1767312000000-create-ledger.js';
import { ErasePeople1796100000000 } from './1796100000000-erase-people.js';

/** Every migration of the service, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [
  CreateLedger1767312000000,
  ErasePeople1796100000000,
];
