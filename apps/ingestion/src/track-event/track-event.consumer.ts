import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { BatchPattern, type BatchOutcome, type IncomingRequest } from '@truetally/messaging';
import { TrackEventHandler } from './track-event.handler.js';

/** Events per transaction, concurrent transactions, and events fetched but not stored yet. */
const LIMITS = { rows: 1_024, transactions: 3, unstored: 8_192 };

@Controller()
export class TrackEventConsumer {
  constructor(private readonly handler: TrackEventHandler) {}

  @BatchPattern(TOPICS.trackEvent.name, LIMITS)
  trackEvent(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    return this.handler.handle(requests);
  }
}
