import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type BatchOutcome, BatchPattern, type IncomingRequest } from '@truetally/messaging';
import { ONE_BY_ONE, replyToEach } from '../storage/one-by-one.js';
import { ListCommissionRulesHandler } from './list-commission-rules.handler.js';

@Controller()
export class ListCommissionRulesConsumer {
  constructor(@Inject(ListCommissionRulesHandler) private readonly handler: ListCommissionRulesHandler) {}

  @BatchPattern(TOPICS.listCommissionRules.name, ONE_BY_ONE)
  listCommissionRules(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    return replyToEach(requests, (request) => this.handler.handle(request));
  }
}
