import { Module } from '@nestjs/common';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { AdministerWorkspaceController } from './administer-workspace.controller.js';
import { ConsumerLagReader } from './consumer-lag-reader.js';
import { DeadLettersController } from './dead-letters.controller.js';
import { observeLag } from './observe-lag.js';
import { ReadConsumersController } from './read-consumers.controller.js';
import { ReadHealthController } from './read-health.controller.js';
import { ReadReconciliationController } from './read-reconciliation.controller.js';
import { ReadTopicsController } from './read-topics.controller.js';
import { SetAsideFactsController } from './set-aside-facts.controller.js';
import { SetAsideFacts } from './set-aside-facts.js';
import { TopicReader } from './topic-reader.js';

/** Routes of the platform's operators (interface page, section 11). */
@Module({
  controllers: [
    AdministerWorkspaceController,
    ReadHealthController,
    ReadReconciliationController,
    ReadConsumersController,
    ReadTopicsController,
    DeadLettersController,
    SetAsideFactsController,
  ],
  providers: [
    provide(ConsumerLagReader, [GatewayFoundation], ({ messaging, metrics, log }) => {
      observeLag(metrics, messaging, () => performance.now());
      return new ConsumerLagReader(messaging, log);
    }),
    provide(TopicReader, [GatewayFoundation], ({ messaging, log }) => new TopicReader(messaging, log)),
    SetAsideFacts,
  ],
})
export class AdminModule {}
