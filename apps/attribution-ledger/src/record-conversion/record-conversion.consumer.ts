import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type BatchOutcome, BatchPattern, type IncomingRequest } from '@truetally/messaging';
import { RecordConversionHandler } from './record-conversion.handler.js';

/**
 * Conversions per transaction (each holds a lock), concurrent transactions, and conversions fetched and not
 * recorded.
 */
const LIMITS = { rows: 256, transactions: 2, unstored: 2_048 };

@Controller()
export class RecordConversionConsumer {
  constructor(private readonly handler: RecordConversionHandler) {}

  @BatchPattern(TOPICS.recordConversion.name, LIMITS)
  recordConversion(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    return this.handler.handle(requests);
  }
}
