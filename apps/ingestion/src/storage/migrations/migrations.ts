import {
  ErasureWithoutWaiting1795622400000,
  Incarnations1796000000000,
  type MigrationConstructor,
} from '@truetally/persistence';
import { CreateEvents1767225600000 } from './1767225600000-create-events.js';
import { CorrelationIds1795363200000 } from './1795363200000-correlation-ids.js';
import { EraseSites1795276800000 } from './1795276800000-erase-sites.js';

/** Every migration of the service, oldest first; one that has run anywhere is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [
  CreateEvents1767225600000,
  EraseSites1795276800000,
  CorrelationIds1795363200000,
  ErasureWithoutWaiting1795622400000,
  Incarnations1796000000000,
];
