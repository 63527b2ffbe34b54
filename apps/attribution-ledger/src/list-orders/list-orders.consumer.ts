import { Controller } from '@nestjs/common';
import type { AskOrders } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { ListOrdersHandler } from './list-orders.handler.js';

@Controller()
export class ListOrdersConsumer {
  constructor(
    private readonly handler: ListOrdersHandler,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.listOrders)
  listOrders(asked: AskOrders, context: AskContext) {
    return this.turns.run(context, () => this.handler.handle(asked));
  }
}
