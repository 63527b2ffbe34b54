import { type DynamicModule, Module } from '@nestjs/common';
import { OutboxRelay } from '@truetally/persistence';
import pg from 'pg';
import { AddMemberController } from './add-member/add-member.controller.js';
import { AddMemberHandler } from './add-member/add-member.handler.js';
import { CreateApiKeyController } from './create-api-key/create-api-key.controller.js';
import { CreateApiKeyHandler } from './create-api-key/create-api-key.handler.js';
import { CreateSiteController } from './create-site/create-site.controller.js';
import { CreateSiteHandler } from './create-site/create-site.handler.js';
import { CreateWorkspaceController } from './create-workspace/create-workspace.controller.js';
import { CreateWorkspaceHandler } from './create-workspace/create-workspace.handler.js';
import { RevokeApiKeyController } from './revoke-api-key/revoke-api-key.controller.js';
import { RevokeApiKeyHandler } from './revoke-api-key/revoke-api-key.handler.js';
import { SuspendWorkspaceController } from './suspend-workspace/suspend-workspace.controller.js';
import { SuspendWorkspaceHandler } from './suspend-workspace/suspend-workspace.handler.js';
import { UpdateSiteController } from './update-site/update-site.controller.js';
import { UpdateSiteHandler } from './update-site/update-site.handler.js';
import { Database } from './storage/database.js';

@Module({})
export class ManagementModule {
  static using(pool: pg.Pool, relay: OutboxRelay): DynamicModule {
    return {
      module: ManagementModule,
      controllers: [
        CreateWorkspaceController,
        SuspendWorkspaceController,
        AddMemberController,
        CreateSiteController,
        UpdateSiteController,
        CreateApiKeyController,
        RevokeApiKeyController,
      ],
      providers: [
        { provide: pg.Pool, useValue: pool },
        { provide: OutboxRelay, useValue: relay },
        Database,
        CreateWorkspaceHandler,
        SuspendWorkspaceHandler,
        AddMemberHandler,
        CreateSiteHandler,
        UpdateSiteHandler,
        CreateApiKeyHandler,
        RevokeApiKeyHandler,
      ],
    };
  }
}
