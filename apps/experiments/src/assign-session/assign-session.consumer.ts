import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type BatchOutcome, BatchPattern, type IncomingRequest } from '@truetally/messaging';
import { AssignSessionHandler } from './assign-session.handler.js';

/** Requests per transaction, concurrent transactions, and requests fetched and not answered. */
const LIMITS = { rows: 512, transactions: 2, unstored: 4_096 };

@Controller()
export class AssignSessionConsumer {
  constructor(private readonly handler: AssignSessionHandler) {}

  @BatchPattern(TOPICS.assignSession.name, LIMITS)
  assignSession(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    return this.handler.handle(requests);
  }
}
