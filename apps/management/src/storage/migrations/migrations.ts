import {
  Incarnations1796000000000,
  type MigrationConstructor,
  SetAsideOwners1795790000000,
} from '@truetally/persistence';
import { ActiveCampaigns1764000000000 } from './1764000000000-active-campaigns.js';
import { AttributionModels1764400000000 } from './1764400000000-attribution-models.js';
import { CampaignLists1764300000000 } from './1764300000000-campaign-lists.js';
import { Campaigns1763900000000 } from './1763900000000-campaigns.js';
import { DeadLetters1764500000000 } from './1764500000000-dead-letters.js';
import { Jobs1763800000000 } from './1763800000000-jobs.js';
import { OutboxSetAside1764510000000 } from './1764510000000-outbox-set-aside.js';
import { Media1763910000000 } from './1763910000000-media.js';
import { Memberships1764620000000 } from './1764620000000-memberships.js';
import { Members1763700000000 } from './1763700000000-members.js';
import { ManagementRoutes1763736000000 } from './1763736000000-management-routes.js';
import { FinishedJobs1764200000000 } from './1764200000000-finished-jobs.js';
import { IntegrationPulls1764520000000 } from './1764520000000-integration-pulls.js';
import { HeldCampaigns1764650000000 } from './1764650000000-held-campaigns.js';
import { Integrations1763931000000 } from './1763931000000-integrations.js';
import { Products1763930000000 } from './1763930000000-products.js';
import { People1763810000000 } from './1763810000000-people.js';
import { Quotas1764630000000 } from './1764630000000-quotas.js';
import { SetAsideActions1764640000000 } from './1764640000000-set-aside-actions.js';
import { SetAsideOfTheDeleted1795790010000 } from './1795790010000-set-aside-of-the-deleted.js';
import { WorkspacesSitesKeys1763600000000 } from './1763600000000-workspaces-sites-keys.js';

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
  HeldCampaigns1764650000000,
  SetAsideOwners1795790000000,
  SetAsideOfTheDeleted1795790010000,
  Incarnations1796000000000,
];
