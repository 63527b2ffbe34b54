import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type BatchOutcome, BatchPattern, type IncomingRequest } from '@truetally/messaging';
import { ONE_BY_ONE, replyToEach } from '../storage/one-by-one.js';
import { ListTouchesHandler } from './list-touches.handler.js';

@Controller()
export class ListTouchesConsumer {
  constructor(@Inject(ListTouchesHandler) private readonly handler: ListTouchesHandler) {}

  @BatchPattern(TOPICS.listTouches.name, ONE_BY_ONE)
  listTouches(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    return replyToEach(requests, (request) => this.handler.handle(request));
  }
}
