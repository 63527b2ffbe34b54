import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { ListSettlementStatesHandler } from './list-settlement-states.handler.js';

@Controller()
export class ListSettlementStatesConsumer {
  constructor(@Inject(ListSettlementStatesHandler) private readonly handler: ListSettlementStatesHandler) {}

  @MessagePattern(OPERATIONS.listSettlementStates)
  listSettlementStates(@Payload() message: unknown): Promise<Reply<object>> {
    return this.handler.handle(message);
  }
}
