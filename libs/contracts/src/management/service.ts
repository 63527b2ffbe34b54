import { JobResource, JobSummary, RunJob, StartedJob } from '../jobs/job-resource.js';
import { IntegrationAccess, ReadIntegrationAccess, RecordSync } from '../publisher/settlement-jobs.js';
import { StartedReplay } from '../outbound/delivery.js';
import { DeletedResource, ErasedResource } from '../resource/resource.js';
import {
  askedBy,
  one,
  ownTopic,
  query,
  resourceCommand,
  resourceList,
  resourceQuery,
  told,
} from '../services/operation.js';
import type { ServiceEntry } from '../services/service-entry.js';
import { COMPACTED, keptFor } from '../services/topic-spec.js';
import { ApiKeyResource } from './api-key.js';
import { AuditEntryResource } from './audit-entry.js';
import { CampaignResource } from './campaign.js';
import { DeadLetterResource } from './dead-letter.js';
import { BeginFeedRun, FeedAccess, StoredFeedRows, StoreFeedRows } from './feed-messages.js';
import { IntegrationResource } from './integration.js';
import { RecordKeyUse } from './key-use.js';
import { StoredMedia } from './media.js';
import { MemberResource } from './member.js';
import { AskOfferedProducts, OfferedProducts } from './offered-products.js';
import { ProductBatchAnswer } from './product-batch.js';
import { ProductResource } from './product.js';
import { ErasureResource, StartedErasure } from './erasure.js';
import { ProfileResource } from './profile.js';
import { StoredSubmission, SubmissionFieldNames, SubmissionResource } from './submission.js';
import { SiteResource } from './site.js';
import { RecordedOutcome } from './workflow-messages.js';
import { WorkflowResource } from './workflow.js';
import { OwnWorkspace, WorkspaceResource } from './workspace.js';

/**
 * Manages workspaces, members, sites, credentials and everything else that a merchant sets up; runs the jobs.
 */
export const MANAGEMENT = {
  name: 'management',
  role: 'behind',
  operations: {
    ...askedBy(['gateway'], {
      createWorkspace: resourceCommand(WorkspaceResource),
      updateWorkspace: resourceCommand(WorkspaceResource),
      administerWorkspace: resourceCommand(WorkspaceResource),
      deleteWorkspace: resourceCommand(ErasedResource),
      listWorkspaces: resourceList(OwnWorkspace),
      readWorkspace: resourceQuery(WorkspaceResource),
      createMember: resourceCommand(MemberResource),
      updateMember: resourceCommand(MemberResource),
      acceptMembership: resourceCommand(MemberResource),
      declineMembership: resourceCommand(DeletedResource),
      deleteMember: resourceCommand(DeletedResource),
      listMembers: resourceList(MemberResource),
      readMember: resourceQuery(MemberResource),
      listAuditLog: resourceList(AuditEntryResource),
      createSite: resourceCommand(SiteResource),
      updateSite: resourceCommand(SiteResource),
      deleteSite: resourceCommand(ErasedResource),
      listSites: resourceList(SiteResource),
      readSite: resourceQuery(SiteResource),
      createApiKey: resourceCommand(ApiKeyResource),
      updateApiKey: resourceCommand(ApiKeyResource),
      rotateApiKey: resourceCommand(ApiKeyResource),
      revokeApiKey: resourceCommand(DeletedResource),
      listApiKeys: resourceList(ApiKeyResource),
      readApiKey: resourceQuery(ApiKeyResource),
      recordKeyUse: told(RecordKeyUse),
      createCampaign: resourceCommand(CampaignResource),
      updateCampaign: resourceCommand(CampaignResource),
      deleteCampaign: resourceCommand(DeletedResource),
      listCampaigns: resourceList(CampaignResource),
      readCampaign: resourceQuery(CampaignResource),
      // Several at a time, each in a worker of its own: processing a picture is slow.
      createMedia: ownTopic(3, resourceCommand(StoredMedia)),
      deleteMedia: resourceCommand(DeletedResource),
      listMedia: resourceList(StoredMedia),
      readMedia: resourceQuery(StoredMedia),
      createProduct: resourceCommand(ProductResource),
      updateProduct: resourceCommand(ProductResource),
      deleteProduct: resourceCommand(DeletedResource),
      putProducts: resourceCommand(ProductBatchAnswer),
      listProducts: resourceList(ProductResource),
      readProduct: resourceQuery(ProductResource),
      listOfferedProducts: query({ asks: AskOfferedProducts, answers: one(OfferedProducts) }),
      createIntegration: resourceCommand(IntegrationResource),
      updateIntegration: resourceCommand(IntegrationResource),
      deleteIntegration: resourceCommand(DeletedResource),
      listIntegrations: resourceList(IntegrationResource),
      readIntegration: resourceQuery(IntegrationResource),
      createWorkflow: resourceCommand(WorkflowResource),
      updateWorkflow: resourceCommand(WorkflowResource),
      deleteWorkflow: resourceCommand(DeletedResource),
      listWorkflows: resourceList(WorkflowResource),
      readWorkflow: resourceQuery(WorkflowResource),
      beginWorkflowReplay: resourceCommand(StartedReplay),
      beginLedgerVerification: resourceCommand(StartedJob),
      beginSettlementsImport: resourceCommand(StartedJob),
      beginWorkerJob: resourceCommand(StartedJob),
      cancelJob: resourceCommand(JobResource),
      listJobs: resourceList(JobSummary),
      createSubmission: resourceCommand(StoredSubmission),
      listSubmissions: resourceList(SubmissionResource),
      listSubmissionFields: resourceQuery(SubmissionFieldNames),
      readSubmission: resourceQuery(SubmissionResource),
      beginProfilesImport: resourceCommand(StartedJob),
      readProfilesImport: resourceQuery(JobResource),
      listProfiles: resourceList(ProfileResource),
      readProfile: resourceQuery(ProfileResource),
      eraseProfile: resourceCommand(StartedErasure),
      listErasures: resourceList(ErasureResource),
      readErasure: resourceQuery(ErasureResource),
      readJob: resourceQuery(JobResource),
      replayDeadLetter: resourceCommand(DeadLetterResource),
      discardDeadLetter: resourceCommand(DeadLetterResource),
      listDeadLetters: resourceList(DeadLetterResource),
    }),
    // Through its own outbox.
    ...askedBy(['management'], { runJob: ownTopic(3, told(RunJob)) }),
    // Through its outbox.
    ...askedBy(['outbound'], {
      recordWorkflowOutcome: ownTopic(1, resourceCommand(RecordedOutcome)),
    }),
    ...askedBy(['outbound'], {
      beginFeedRun: ownTopic(
        3,
        query({
          asks: BeginFeedRun,
          answers: one(FeedAccess, 'complete'),
          key: ({ integration_id }) => integration_id,
        }),
      ),
      storeFeedRows: ownTopic(
        3,
        query({
          asks: StoreFeedRows,
          answers: one(StoredFeedRows, 'complete'),
          key: ({ integration_id }) => integration_id,
        }),
      ),
    }),
    ...askedBy(['publisher-analytics'], {
      readIntegrationAccess: ownTopic(
        1,
        query({
          asks: ReadIntegrationAccess,
          answers: one(IntegrationAccess, 'complete'),
          key: ({ integration_id }) => integration_id,
        }),
      ),
      recordSync: ownTopic(
        1,
        told(RecordSync, ({ integration_id }) => integration_id),
      ),
    }),
  },
  facts: {
    sites: { name: 'sites.v1', partitions: 1, config: COMPACTED },
    // Not the tombstone of `sites.v1`, which Kafka removes after a day.
    sitesErased: { name: 'sites.erased.v1', partitions: 1, config: COMPACTED },
    credentials: { name: 'credentials.v1', partitions: 1, config: COMPACTED },
    members: { name: 'members.v1', partitions: 1, config: COMPACTED },
    campaigns: { name: 'campaigns.v1', partitions: 1, config: COMPACTED },
    workflows: { name: 'workflows.v1', partitions: 1, config: COMPACTED },
    // Written by every service, stored here. The retention allows for a long outage of management.
    auditRecorded: { name: 'audit.recorded.v1', partitions: 1, config: keptFor(30) },
  },
  follows: ['auditRecorded'],
  // To find what a restore of Kafka or Postgres has changed.
  holds: ['sites', 'sitesErased', 'credentials', 'members', 'campaigns', 'workflows'],
  replaysDeadLetters: true,
  isAskedToEraseSites: false,
  knowsPeopleBy: 'ids',
  hasOutbox: true,
  localOperationsPort: 4183,
} as const satisfies ServiceEntry;
