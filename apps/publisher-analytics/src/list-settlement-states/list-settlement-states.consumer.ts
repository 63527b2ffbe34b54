import { Controller } from '@nestjs/common';
import type { ListSettlementStates } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { ListSettlementStatesHandler } from './list-settlement-states.handler.js';

@Controller()
export class ListSettlementStatesConsumer {
  constructor(
    private readonly handler: ListSettlementStatesHandler,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.listSettlementStates)
  listSettlementStates(asked: ListSettlementStates, context: AskContext) {
    return this.turns.run(context, () => this.handler.handle(asked));
  }
}
