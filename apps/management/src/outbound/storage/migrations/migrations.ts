import type { MigrationConstructor } from '@truetally/persistence';
import { CreateOutbound1795200000000 } from './1795200000000-create-outbound.js';

/** Every migration of the program's schema, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [CreateOutbound1795200000000];
