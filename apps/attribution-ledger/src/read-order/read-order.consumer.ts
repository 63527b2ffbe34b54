import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type BatchOutcome, BatchPattern, type IncomingRequest } from '@truetally/messaging';
import { ONE_BY_ONE, replyToEach } from '../storage/one-by-one.js';
import { ReadOrderHandler } from './read-order.handler.js';

@Controller()
export class ReadOrderConsumer {
  constructor(@Inject(ReadOrderHandler) private readonly handler: ReadOrderHandler) {}

  @BatchPattern(TOPICS.readOrder.name, ONE_BY_ONE)
  readOrder(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    return replyToEach(requests, (request) => this.handler.handle(request));
  }
}
