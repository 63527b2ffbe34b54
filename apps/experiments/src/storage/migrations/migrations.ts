import type { MigrationConstructor } from '@truetally/persistence';
import { CreateExperiments1795330800000 } from './1795330800000-create-experiments.js';

/** Every migration of the service, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [CreateExperiments1795330800000];
