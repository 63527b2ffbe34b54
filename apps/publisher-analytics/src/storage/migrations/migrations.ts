import type { MigrationConstructor } from '@truetally/persistence';
import { CreatePublisher1795363200000 } from './1795363200000-create-publisher.js';

/** Every migration of the service, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [CreatePublisher1795363200000];
