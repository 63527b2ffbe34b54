import type { MigrationConstructor } from '@truetally/persistence';
import { CreateEvents1767225600000 } from './1767225600000-create-events.js';

/** In the order in which they run. */
export const MIGRATIONS: readonly MigrationConstructor[] = [CreateEvents1767225600000];
