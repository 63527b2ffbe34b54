import { type DynamicModule, Module } from '@nestjs/common';
import { Messaging } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { CampaignsConsumer } from './campaigns/campaigns.consumer.js';
import { ApiKeysConsumer } from './api-keys/api-keys.consumer.js';
import { AuditLogConsumer } from './audit-log/audit-log.consumer.js';
import { DeadLettersConsumer } from './dead-letters/dead-letters.consumer.js';
import { FeedsConsumer } from './feeds/feeds.consumer.js';
import { JobRunner } from './jobs/job-runner.js';
import { JobsConsumer } from './jobs/jobs.consumer.js';
import { MediaFiles } from './media/media-files.js';
import { MediaSweeper } from './media/media-sweeper.js';
import { MediaConsumer } from './media/media.consumer.js';
import { IntegrationsConsumer } from './integrations/integrations.consumer.js';
import { LedgerVerificationConsumer } from './ledger-verification/ledger-verification.consumer.js';
import { ProductsConsumer } from './products/products.consumer.js';
import { MembersConsumer } from './members/members.consumer.js';
import { PullIntegrationsConsumer } from './pull-integrations/pull-integrations.consumer.js';
import { ProfilesConsumer } from './profiles/profiles.consumer.js';
import { SubmissionsConsumer } from './submissions/submissions.consumer.js';
import { SitesConsumer } from './sites/sites.consumer.js';
import { WorkflowsConsumer } from './workflows/workflows.consumer.js';
import { WorkspacesConsumer } from './workspaces/workspaces.consumer.js';

export interface ManagementParts {
  readonly database: ResourceDatabase;
  readonly messaging: Messaging;
  readonly runner: JobRunner;
  readonly files: MediaFiles;
  readonly sweeper: MediaSweeper;
}

@Module({})
export class ManagementModule {
  static using({ database, messaging, runner, files, sweeper }: ManagementParts): DynamicModule {
    return {
      module: ManagementModule,
      controllers: [
        WorkspacesConsumer,
        MembersConsumer,
        SitesConsumer,
        CampaignsConsumer,
        ProductsConsumer,
        IntegrationsConsumer,
        PullIntegrationsConsumer,
        FeedsConsumer,
        WorkflowsConsumer,
        LedgerVerificationConsumer,
        ApiKeysConsumer,
        AuditLogConsumer,
        DeadLettersConsumer,
        JobsConsumer,
        SubmissionsConsumer,
        ProfilesConsumer,
        MediaConsumer,
      ],
      providers: [
        { provide: ResourceDatabase, useValue: database },
        { provide: Messaging, useValue: messaging },
        { provide: JobRunner, useValue: runner },
        { provide: MediaFiles, useValue: files },
        { provide: MediaSweeper, useValue: sweeper },
      ],
    };
  }
}
