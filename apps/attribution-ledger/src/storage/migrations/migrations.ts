import type { MigrationConstructor } from '@truetally/persistence';
import { CreateLedger1767312000000 } from './1767312000000-create-ledger.js';

/** Every migration of the service, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [CreateLedger1767312000000];
