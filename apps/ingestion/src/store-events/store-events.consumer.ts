import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { BatchPattern, type BatchOutcome, type IncomingRequest } from '@truetally/messaging';
import { StoreEventsHandler } from './store-events.handler.js';

/** Events per transaction, concurrent transactions, and events fetched but not stored yet. */
const LIMITS = { rows: 1_024, transactions: 3, unstored: 8_192 };

@Controller()
export class StoreEventsConsumer {
  constructor(@Inject(StoreEventsHandler) private readonly handler: StoreEventsHandler) {}

  @BatchPattern(TOPICS.storeEvents.name, LIMITS)
  storeEvents(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    return this.handler.handle(requests);
  }
}
