import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { type ReconciliationPage } from '@truetally/contracts/operations';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { ReconcileEventsHandler } from './reconcile-events.handler.js';

@Controller()
export class ReconcileEventsConsumer {
  constructor(@Inject(ReconcileEventsHandler) private readonly handler: ReconcileEventsHandler) {}

  @MessagePattern(OPERATIONS.reconcileEvents)
  reconcileEvents(@Payload() body: unknown): Promise<Reply<ReconciliationPage>> {
    return this.handler.handle(body, Date.now());
  }
}
