import { Module } from '@nestjs/common';
import { ReachableAddresses } from '@truetally/contracts/validation';
import { KeyringFile } from '@truetally/keyring';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { ApiKeysController } from './api-keys.controller.js';
import { AuditLogController } from './audit-log.controller.js';
import { CampaignsController } from './campaigns.controller.js';
import { IntegrationSealer } from './integration-sealer.js';
import { IntegrationsController } from './integrations.controller.js';
import { JobsController } from './jobs.controller.js';
import { KnownChanges } from './known-changes.js';
import { MembershipsController } from './memberships.controller.js';
import { MembersController } from './members.controller.js';
import { ProductsController } from './products.controller.js';
import { SitesController } from './sites.controller.js';
import { WorkspacesController } from './workspaces.controller.js';

/** The merchants' resources (interface page, section 9). */
@Module({
  controllers: [
    WorkspacesController,
    // Before the paths with an id in the place of `accept` and `decline`.
    MembershipsController,
    MembersController,
    SitesController,
    JobsController,
    CampaignsController,
    ProductsController,
    IntegrationsController,
    ApiKeysController,
    AuditLogController,
  ],
  providers: [
    KnownChanges,
    provide(
      IntegrationSealer,
      [KeyringFile, GatewayFoundation],
      (keys, { config }) =>
        new IntegrationSealer(keys, new ReachableAddresses(config.ALLOW_PRIVATE_NETWORKS)),
    ),
  ],
})
export class ManagementModule {}
