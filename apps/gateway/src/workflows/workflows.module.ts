import { Module } from '@nestjs/common';
import { ReachableAddresses } from '@truetally/contracts/validation';
import { KeyringFile } from '@truetally/keyring';
import { GatewayFoundation } from '../core/gateway-foundation.js';
import { provide } from '../core/provide.js';
import { Asker } from '../ask/ask.js';
import { ResourceApi } from '../ask/resource.js';
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
    provide(WorkflowReader, [Asker], (asker) => new WorkflowReader(asker)),
    provide(
      DeliveryRequests,
      [WorkflowReader, Asker, ResourceApi],
      (...parts) => new DeliveryRequests(...parts),
    ),
  ],
})
export class WorkflowsModule {}
