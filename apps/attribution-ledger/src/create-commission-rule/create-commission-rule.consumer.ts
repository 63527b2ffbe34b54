import { Controller } from '@nestjs/common';
import type { CreateCommissionRule } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { CreateCommissionRuleHandler } from './create-commission-rule.handler.js';

@Controller()
export class CreateCommissionRuleConsumer {
  constructor(private readonly handler: CreateCommissionRuleHandler) {}

  @Handles(OPERATIONS.createCommissionRule)
  createCommissionRule(asked: CreateCommissionRule, { correlationId }: AskContext) {
    return this.handler.handle(asked, correlationId);
  }
}
