import {
  ErasureWithoutWaiting1795622400000,
  KnownStates1795850000000,
  Incarnations1796000000000,
  type MigrationConstructor,
  SetAsideOwners1795790000000,
} from '@truetally/persistence';
import { CreateLedger1767312000000 } from './1767312000000-create-ledger.js';
import { EraseSites1795276800000 } from './1795276800000-erase-sites.js';
import { AttributionSettings1795363200000 } from './1795363200000-attribution-settings.js';
import { OutboxSetAside1795363210000 } from './1795363210000-outbox-set-aside.js';
import { ShortMarks1795449600000 } from './1795449600000-short-marks.js';
import { SetAsideActions1795536010000 } from './1795536010000-set-aside-actions.js';
import { NothingOfErasedSites1795800000000 } from './1795800000000-nothing-of-erased-sites.js';
import { SettingsIncarnation1796000010000 } from './1796000010000-settings-incarnation.js';

/** Every migration of the service, oldest first; one that has run anywhere is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [
  CreateLedger1767312000000,
  EraseSites1795276800000,
  AttributionSettings1795363200000,
  OutboxSetAside1795363210000,
  ShortMarks1795449600000,
  SetAsideActions1795536010000,
  ErasureWithoutWaiting1795622400000,
  SetAsideOwners1795790000000,
  NothingOfErasedSites1795800000000,
  KnownStates1795850000000,
  Incarnations1796000000000,
  SettingsIncarnation1796000010000,
];
