import { Module } from '@nestjs/common';
import { KafkaAskClient } from '@truetally/messaging';
import { bodyRulesOf } from '../core/body-rules.js';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { BodyBudget } from '../http/body-budget.js';
import { ResourceAsker } from '../http/resource-asker.js';
import { AdministerWorkspaceController } from './administer-workspace.controller.js';
import { ConsumerLagReader } from './consumer-lag-reader.js';
import { PlatformApi } from './platform-api.js';
import { ReadConsumersController } from './read-consumers.controller.js';
import { ReadHealthController } from './read-health.controller.js';
import { ReadReconciliationController } from './read-reconciliation.controller.js';
import { ReconciliationReader } from './reconciliation-reader.js';

/** What the platform's operators ask (interface page, section 11). */
@Module({
  controllers: [
    AdministerWorkspaceController,
    ReadHealthController,
    ReadReconciliationController,
    ReadConsumersController,
  ],
  providers: [
    provide(
      PlatformApi,
      [ResourceAsker, BodyBudget],
      (asker, budget) => new PlatformApi(asker, bodyRulesOf(budget)),
    ),
    provide(
      ConsumerLagReader,
      [GatewayFoundation],
      ({ messaging, log }) => new ConsumerLagReader(messaging, log),
    ),
    provide(ReconciliationReader, [KafkaAskClient], (asker) => new ReconciliationReader(asker)),
  ],
})
export class AdminModule {}
