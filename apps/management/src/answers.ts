import type { Messaging } from '@truetally/messaging';
import { ResourceAnswers, type ResourceDatabase } from '@truetally/resource';
import type { Answers } from '@truetally/service';
import { apiKeysAnswers } from './api-keys/api-keys.consumer.js';
import { campaignsAnswers } from './campaigns/campaigns.consumer.js';
import { deadLettersAnswers } from './dead-letters/dead-letters.consumer.js';
import { feedsAnswers } from './feeds/feeds.consumer.js';
import { integrationsAnswers } from './integrations/integrations.consumer.js';
import type { JobRunner } from './jobs/job-runner.js';
import { jobsAnswers } from './jobs/jobs.consumer.js';
import { beginLedgerVerification } from './ledger-verification/begin-ledger-verification.js';
import { mediaAnswers } from './media/media.consumer.js';
import type { MediaSweeper } from './media/media-sweeper.js';
import { membersAnswers } from './members/members.consumer.js';
import { productsAnswers } from './products/products.consumer.js';
import { profilesAnswers } from './profiles/profiles.consumer.js';
import { pullIntegrationsAnswers } from './pull-integrations/pull-integrations.consumer.js';
import { sitesAnswers } from './sites/sites.consumer.js';
import { submissionsAnswers } from './submissions/submissions.consumer.js';
import { pageOfAuditLog } from './storage/audit-log.store.js';
import { workflowsAnswers } from './workflows/workflows.consumer.js';
import { workspacesAnswers } from './workspaces/workspaces.consumer.js';

interface ManagementParts {
  readonly database: ResourceDatabase;
  readonly messaging: Messaging;
  readonly runner: JobRunner;
  readonly sweeper: MediaSweeper;
}

/** All that management answers but new pictures, which come in a batch (`MediaConsumer`). */
export function managementAnswers({ database, messaging, runner, sweeper }: ManagementParts): Answers {
  const resources = new ResourceAnswers(database);
  return {
    ...workspacesAnswers(resources),
    ...membersAnswers(resources),
    ...sitesAnswers(resources),
    ...campaignsAnswers(resources),
    ...productsAnswers(resources),
    ...integrationsAnswers(resources),
    ...pullIntegrationsAnswers(resources),
    ...feedsAnswers(resources),
    ...workflowsAnswers(resources),
    ...apiKeysAnswers(resources),
    ...submissionsAnswers(resources),
    ...profilesAnswers(resources),
    ...deadLettersAnswers(resources, messaging),
    ...jobsAnswers(resources, runner),
    ...mediaAnswers(resources, sweeper),
    listAuditLog: resources.query(pageOfAuditLog),
    beginLedgerVerification: resources.command(beginLedgerVerification),
  };
}
