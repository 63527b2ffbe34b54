import {
  ErasureWithoutWaiting1795622400000,
  Incarnations1796000000000,
  type MigrationConstructor,
  SetAsideOwners1795790000000,
} from '@truetally/persistence';
import { BoundedSteps1795900000000 } from './1795900000000-bounded-steps.js';
import { CreatePublisher1795363200000 } from './1795363200000-create-publisher.js';
import { FormerStates1795708800000 } from './1795708800000-former-states.js';
import { PartsOfPulls1795910000000 } from './1795910000000-parts-of-pulls.js';
import { ReferencesOfErasedSites1795800000000 } from './1795800000000-references-of-erased-sites.js';
import { SetAsideActions1795536010000 } from './1795536010000-set-aside-actions.js';

/** Every migration of the service, oldest first; one that has run anywhere is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [
  CreatePublisher1795363200000,
  SetAsideActions1795536010000,
  ErasureWithoutWaiting1795622400000,
  FormerStates1795708800000,
  SetAsideOwners1795790000000,
  ReferencesOfErasedSites1795800000000,
  BoundedSteps1795900000000,
  PartsOfPulls1795910000000,
  Incarnations1796000000000,
];
