import { Controller } from '@nestjs/common';
import type { ListSettlements } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { ListSettlementsHandler } from './list-settlements.handler.js';

@Controller()
export class ListSettlementsConsumer {
  constructor(
    private readonly handler: ListSettlementsHandler,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.listSettlements)
  listSettlements(asked: ListSettlements, context: AskContext) {
    return this.turns.run(context, () => this.handler.handle(asked));
  }
}
