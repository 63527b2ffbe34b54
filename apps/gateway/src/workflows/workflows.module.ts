import { Module } from '@nestjs/common';
import { ReachableAddresses } from '@truetally/contracts/validation';
import { KeyringFile } from '@truetally/keyring';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { DeliveriesController } from './deliveries.controller.js';
import { DeliveryRequests } from './delivery-requests.js';
import { WorkflowReader } from './workflow-reader.js';
import { WorkflowSealer } from './workflow-sealer.js';
import { WorkflowsController } from './workflows.controller.js';

/** Workflows and their deliveries (interface page, section 10). */
@Module({
  controllers: [WorkflowsController, DeliveriesController],
  providers: [
    provide(
      WorkflowSealer,
      [KeyringFile, GatewayFoundation],
      (keys, { config }) => new WorkflowSealer(keys, new ReachableAddresses(config.ALLOW_PRIVATE_NETWORKS)),
    ),
    WorkflowReader,
    DeliveryRequests,
  ],
})
export class WorkflowsModule {}
