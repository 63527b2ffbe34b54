import type { MigrationConstructor } from '@truetally/persistence';
import { CreateExperiments1795330800000 } from './1795330800000-create-experiments.js';
import { ErasePeople1796100000000 } from './1796100000000-erase-people.js';

/** Every migration of the service, oldest first; one that was released is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [
  CreateExperiments1795330800000,
  ErasePeople1796100000000,
];
