import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { ListSettlementsHandler } from './list-settlements.handler.js';

@Controller()
export class ListSettlementsConsumer {
  constructor(@Inject(ListSettlementsHandler) private readonly handler: ListSettlementsHandler) {}

  @MessagePattern(OPERATIONS.listSettlements)
  listSettlements(@Payload() message: unknown): Promise<Reply<object>> {
    return this.handler.handle(message);
  }
}
