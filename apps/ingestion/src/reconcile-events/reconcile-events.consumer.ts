import { Controller } from '@nestjs/common';
import type { ReconcileEvents } from '@truetally/contracts/operations';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ReconcileEventsHandler } from './reconcile-events.handler.js';

@Controller()
export class ReconcileEventsConsumer {
  constructor(private readonly handler: ReconcileEventsHandler) {}

  @Handles(OPERATIONS.reconcileEvents)
  reconcileEvents(asked: ReconcileEvents) {
    return this.handler.handle(asked, Date.now());
  }
}
