import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import type { CreateCommissionRuleReply } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { AskContext } from '@truetally/messaging';
import { CreateCommissionRuleHandler } from './create-commission-rule.handler.js';

@Controller()
export class CreateCommissionRuleConsumer {
  constructor(@Inject(CreateCommissionRuleHandler) private readonly handler: CreateCommissionRuleHandler) {}

  @MessagePattern(OPERATIONS.createCommissionRule)
  createCommissionRule(
    @Payload() message: unknown,
    @Ctx() { correlationId }: AskContext,
  ): Promise<CreateCommissionRuleReply> {
    return this.handler.handle(message, correlationId);
  }
}
