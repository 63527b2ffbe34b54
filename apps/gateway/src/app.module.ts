import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { AdministerWorkspaceController } from './admin/administer-workspace.controller.js';
import { ReadConsumersController } from './admin/read-consumers.controller.js';
import { ReadHealthController } from './admin/read-health.controller.js';
import { ReadReconciliationController } from './admin/read-reconciliation.controller.js';
import { TrackBatchController } from './events/track-batch.controller.js';
import { TrackEventController } from './events/track-event.controller.js';
import { JobsController } from './management/jobs.controller.js';
import { CampaignsController } from './management/campaigns.controller.js';
import { IntegrationsController } from './management/integrations.controller.js';
import { ProductsController } from './management/products.controller.js';
import { ApiKeysController } from './management/api-keys.controller.js';
import { AuditLogController } from './management/audit-log.controller.js';
import { MembersController } from './management/members.controller.js';
import { SitesController } from './management/sites.controller.js';
import { MediaController } from './media/media.controller.js';
import { ReadMediaFileController } from './media/read-media-file.controller.js';
import { WorkspacesController } from './management/workspaces.controller.js';
import { CreateCommissionRuleController } from './partner-attribution/commission-rules/create-commission-rule.controller.js';
import { ListCommissionRulesController } from './partner-attribution/commission-rules/list-commission-rules.controller.js';
import { RecordConversionController } from './partner-attribution/conversions/record-conversion.controller.js';
import { ReadOrderController } from './partner-attribution/orders/read-order.controller.js';
import { ListTouchesController } from './partner-attribution/touches/list-touches.controller.js';
import { RecordTouchesController } from './partner-attribution/touches/record-touches.controller.js';
import { CreateRuntimeTokenController } from './runtime-tokens/create-runtime-token.controller.js';
import { ListChatbotsController } from './storefront/list-chatbots.controller.js';
import { ListOverlaysController } from './storefront/list-overlays.controller.js';

/** The controllers, over parts that `startGateway` has built: hot routes first, because Express tries them in order. */
@Module({
  controllers: [
    TrackEventController,
    TrackBatchController,
    RecordConversionController,
    RecordTouchesController,
    CreateRuntimeTokenController,
    ListOverlaysController,
    ListChatbotsController,
    ReadOrderController,
    ListTouchesController,
    CreateCommissionRuleController,
    ListCommissionRulesController,
    WorkspacesController,
    MembersController,
    SitesController,
    JobsController,
    CampaignsController,
    MediaController,
    ReadMediaFileController,
    ProductsController,
    IntegrationsController,
    ApiKeysController,
    AuditLogController,
    AdministerWorkspaceController,
    ReadHealthController,
    ReadReconciliationController,
    ReadConsumersController,
  ],
})
export class AppModule {
  static with(providers: Provider[]): DynamicModule {
    return { module: AppModule, providers };
  }
}
