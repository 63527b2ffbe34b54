import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import type { ListCommissionRulesReply } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { ListCommissionRulesHandler } from './list-commission-rules.handler.js';

@Controller()
export class ListCommissionRulesConsumer {
  constructor(@Inject(ListCommissionRulesHandler) private readonly handler: ListCommissionRulesHandler) {}

  @MessagePattern(OPERATIONS.listCommissionRules)
  listCommissionRules(@Payload() message: unknown): Promise<ListCommissionRulesReply> {
    return this.handler.handle(message);
  }
}
