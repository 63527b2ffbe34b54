import {
  ErasureWithoutWaiting1795622400000,
  KnownStates1795850000000,
  Incarnations1796000000000,
  type MigrationConstructor,
  SetAsideOwners1795790000000,
} from '@truetally/persistence';
import { CreateExperiments1795330800000 } from './1795330800000-create-experiments.js';
import { Skewness1795536000000 } from './1795536000000-skewness.js';
import { SetAsideActions1795536010000 } from './1795536010000-set-aside-actions.js';
import { NothingOfErasedSites1795800000000 } from './1795800000000-nothing-of-erased-sites.js';

/** Every migration of the service, oldest first; one that has run anywhere is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [
  CreateExperiments1795330800000,
  Skewness1795536000000,
  SetAsideActions1795536010000,
  ErasureWithoutWaiting1795622400000,
  SetAsideOwners1795790000000,
  NothingOfErasedSites1795800000000,
  KnownStates1795850000000,
  Incarnations1796000000000,
];
