import { type DynamicModule, Module } from '@nestjs/common';
import { OutboxRelay } from '@truetally/persistence';
import pg from 'pg';
import { AddMemberController } from './add-member/add-member.controller.js';
import { AddMemberHandler } from './add-member/add-member.handler.js';
import { CampaignsConsumer } from './campaigns/campaigns.consumer.js';
import { CreateApiKeyController } from './create-api-key/create-api-key.controller.js';
import { CreateApiKeyHandler } from './create-api-key/create-api-key.handler.js';
import { CreateWorkspaceController } from './create-workspace/create-workspace.controller.js';
import { CreateWorkspaceHandler } from './create-workspace/create-workspace.handler.js';
import { JobRunner } from './jobs/job-runner.js';
import { JobsConsumer } from './jobs/jobs.consumer.js';
import { MediaFiles } from './media/media-files.js';
import { MediaSweeper } from './media/media-sweeper.js';
import { MediaConsumer } from './media/media.consumer.js';
import { IntegrationsConsumer } from './integrations/integrations.consumer.js';
import { ProductsConsumer } from './products/products.consumer.js';
import { RevokeApiKeyController } from './revoke-api-key/revoke-api-key.controller.js';
import { RevokeApiKeyHandler } from './revoke-api-key/revoke-api-key.handler.js';
import { SitesConsumer } from './sites/sites.consumer.js';
import { SuspendWorkspaceController } from './suspend-workspace/suspend-workspace.controller.js';
import { SuspendWorkspaceHandler } from './suspend-workspace/suspend-workspace.handler.js';
import { Database } from './storage/database.js';

export interface ManagementParts {
  readonly pool: pg.Pool;
  readonly relay: OutboxRelay;
  readonly runner: JobRunner;
  readonly files: MediaFiles;
  readonly sweeper: MediaSweeper;
}

@Module({})
export class ManagementModule {
  static using({ pool, relay, runner, files, sweeper }: ManagementParts): DynamicModule {
    return {
      module: ManagementModule,
      controllers: [
        CreateWorkspaceController,
        SuspendWorkspaceController,
        AddMemberController,
        SitesConsumer,
        CampaignsConsumer,
        ProductsConsumer,
        IntegrationsConsumer,
        CreateApiKeyController,
        RevokeApiKeyController,
        JobsConsumer,
        MediaConsumer,
      ],
      providers: [
        { provide: pg.Pool, useValue: pool },
        { provide: OutboxRelay, useValue: relay },
        { provide: JobRunner, useValue: runner },
        { provide: MediaFiles, useValue: files },
        { provide: MediaSweeper, useValue: sweeper },
        Database,
        CreateWorkspaceHandler,
        SuspendWorkspaceHandler,
        AddMemberHandler,
        CreateApiKeyHandler,
        RevokeApiKeyHandler,
      ],
    };
  }
}
