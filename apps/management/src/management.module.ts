import { type DynamicModule, Module } from '@nestjs/common';
import { ResourceDatabase } from '@truetally/resource';
import { CampaignsConsumer } from './campaigns/campaigns.consumer.js';
import { ApiKeysConsumer } from './api-keys/api-keys.consumer.js';
import { AuditLogConsumer } from './audit-log/audit-log.consumer.js';
import { JobRunner } from './jobs/job-runner.js';
import { JobsConsumer } from './jobs/jobs.consumer.js';
import { MediaFiles } from './media/media-files.js';
import { MediaSweeper } from './media/media-sweeper.js';
import { MediaConsumer } from './media/media.consumer.js';
import { IntegrationsConsumer } from './integrations/integrations.consumer.js';
import { ProductsConsumer } from './products/products.consumer.js';
import { MembersConsumer } from './members/members.consumer.js';
import { SitesConsumer } from './sites/sites.consumer.js';
import { WorkspacesConsumer } from './workspaces/workspaces.consumer.js';

export interface ManagementParts {
  readonly database: ResourceDatabase;
  readonly runner: JobRunner;
  readonly files: MediaFiles;
  readonly sweeper: MediaSweeper;
}

@Module({})
export class ManagementModule {
  static using({ database, runner, files, sweeper }: ManagementParts): DynamicModule {
    return {
      module: ManagementModule,
      controllers: [
        WorkspacesConsumer,
        MembersConsumer,
        SitesConsumer,
        CampaignsConsumer,
        ProductsConsumer,
        IntegrationsConsumer,
        ApiKeysConsumer,
        AuditLogConsumer,
        JobsConsumer,
        MediaConsumer,
      ],
      providers: [
        { provide: ResourceDatabase, useValue: database },
        { provide: JobRunner, useValue: runner },
        { provide: MediaFiles, useValue: files },
        { provide: MediaSweeper, useValue: sweeper },
      ],
    };
  }
}
