import { Controller } from '@nestjs/common';
import type { JobStep } from '@truetally/contracts/jobs';
import type { AskEventDeliveries } from '@truetally/contracts/outbound';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { Deliverer } from '../deliver/deliverer.js';
import { ReplaySteps } from '../replay/replay-steps.js';
import { DeliveryHandlers } from './deliveries.handlers.js';

@Controller()
export class DeliveriesConsumer {
  constructor(
    private readonly database: ResourceDatabase,
    private readonly handlers: DeliveryHandlers,
    private readonly steps: ReplaySteps,
    private readonly deliverer: Deliverer,
  ) {}

  @Handles(OPERATIONS.listDeliveries)
  list(query: ResourceQuery) {
    return this.database.query(query, this.handlers.list);
  }

  @Handles(OPERATIONS.readDelivery)
  read(query: ResourceQuery) {
    return this.database.query(query, this.handlers.read);
  }

  @Handles(OPERATIONS.listEventDeliveries)
  listOfEvents(asked: AskEventDeliveries) {
    return this.database.query(asked, this.handlers.listOfEvents);
  }

  @Handles(OPERATIONS.planReplay)
  planReplay(query: ResourceQuery) {
    return this.database.query(query, this.handlers.planReplay);
  }

  @Handles(OPERATIONS.replayDelivery)
  async replay(command: ResourceCommand, { correlationId }: AskContext) {
    const reply = await this.database.command(command, correlationId, this.handlers.replay);
    this.deliverer.wake();
    return reply;
  }

  @Handles(OPERATIONS.testWorkflow)
  async test(command: ResourceCommand, { correlationId }: AskContext) {
    const reply = await this.database.command(command, correlationId, this.handlers.test);
    this.deliverer.wake();
    return reply;
  }

  @Handles(OPERATIONS.runReplayStep)
  async runReplayStep(step: JobStep) {
    const reply = await this.steps.handle(step);
    this.deliverer.wake();
    return reply;
  }
}
