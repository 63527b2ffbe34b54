import { Controller, Inject } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { TOPICS } from '@truetally/contracts/topics';
import { type BatchOutcome, BatchPattern, type IncomingRequest } from '@truetally/messaging';
import { ONE_BY_ONE, replyToEach } from '../storage/one-by-one.js';
import { CreateCommissionRuleHandler } from './create-commission-rule.handler.js';

@Controller()
export class CreateCommissionRuleConsumer {
  constructor(@Inject(CreateCommissionRuleHandler) private readonly handler: CreateCommissionRuleHandler) {}

  @BatchPattern(TOPICS.createCommissionRule.name, ONE_BY_ONE)
  createCommissionRule(@Payload() requests: readonly IncomingRequest[]): Promise<readonly BatchOutcome[]> {
    return replyToEach(requests, (request) => this.handler.handle(request));
  }
}
