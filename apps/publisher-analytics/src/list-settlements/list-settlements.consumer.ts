import { Controller } from '@nestjs/common';
import type { ListSettlements } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ListSettlementsHandler } from './list-settlements.handler.js';

@Controller()
export class ListSettlementsConsumer {
  constructor(private readonly handler: ListSettlementsHandler) {}

  @Handles(OPERATIONS.listSettlements)
  listSettlements(asked: ListSettlements) {
    return this.handler.handle(asked);
  }
}
