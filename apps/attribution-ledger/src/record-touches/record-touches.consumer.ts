import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type BatchOutcome, BatchPattern, type IncomingRequest } from '@truetally/messaging';
import { RecordTouchesHandler } from './record-touches.handler.js';

/** Touches per transaction, concurrent transactions, and touches fetched and not stored. */
const LIMITS = { rows: 512, transactions: 2, unstored: 4_096 };

@Controller()
export class RecordTouchesConsumer {
  constructor(private readonly handler: RecordTouchesHandler) {}

  @BatchPattern(TOPICS.recordTouches.name, LIMITS)
  recordTouches(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    return this.handler.handle(requests);
  }
}
