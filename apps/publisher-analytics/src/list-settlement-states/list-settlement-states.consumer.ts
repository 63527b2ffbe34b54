import { Controller } from '@nestjs/common';
import type { ListSettlementStates } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ListSettlementStatesHandler } from './list-settlement-states.handler.js';

@Controller()
export class ListSettlementStatesConsumer {
  constructor(private readonly handler: ListSettlementStatesHandler) {}

  @Handles(OPERATIONS.listSettlementStates)
  listSettlementStates(asked: ListSettlementStates) {
    return this.handler.handle(asked);
  }
}
