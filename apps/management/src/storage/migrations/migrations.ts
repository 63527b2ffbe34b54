import type { MigrationConstructor } from '@truetally/persistence';
import { ActiveCampaigns1764000000000 } from './active-campaigns-1764000000000.js';
import { AttributionModels1764400000000 } from './attribution-models-1764400000000.js';
import { CampaignLists1764300000000 } from './campaign-lists-1764300000000.js';
import { Campaigns1763900000000 } from './campaigns-1763900000000.js';
import { DeadLetters1764500000000 } from './dead-letters-1764500000000.js';
import { Jobs1763800000000 } from './jobs-1763800000000.js';
import { OutboxSetAside1764510000000 } from './outbox-set-aside-1764510000000.js';
import { Media1763910000000 } from './media-1763910000000.js';
import { Memberships1764620000000 } from './memberships-1764620000000.js';
import { Members1763700000000 } from './members-1763700000000.js';
import { ManagementRoutes1763736000000 } from './management-routes-1763736000000.js';
import { FinishedJobs1764200000000 } from './finished-jobs-1764200000000.js';
import { IntegrationPulls1764520000000 } from './integration-pulls-1764520000000.js';
import { Integrations1763931000000 } from './integrations-1763931000000.js';
import { Products1763930000000 } from './products-1763930000000.js';
import { People1763810000000 } from './people-1763810000000.js';
import { Quotas1764630000000 } from './quotas-1764630000000.js';
import { SetAsideActions1764640000000 } from './set-aside-actions-1764640000000.js';
import { WorkspacesSitesKeys1763600000000 } from './workspaces-sites-keys-1763600000000.js';

/** Every migration of the service, oldest first; one that has run anywhere is never changed. */
export const MIGRATIONS: readonly MigrationConstructor[] = [
  WorkspacesSitesKeys1763600000000,
  Members1763700000000,
  ManagementRoutes1763736000000,
  Jobs1763800000000,
  People1763810000000,
  Campaigns1763900000000,
  Media1763910000000,
  Products1763930000000,
  Integrations1763931000000,
  ActiveCampaigns1764000000000,
  FinishedJobs1764200000000,
  CampaignLists1764300000000,
  AttributionModels1764400000000,
  DeadLetters1764500000000,
  OutboxSetAside1764510000000,
  IntegrationPulls1764520000000,
  Memberships1764620000000,
  Quotas1764630000000,
  SetAsideActions1764640000000,
];
