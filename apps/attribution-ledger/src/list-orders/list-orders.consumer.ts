import { Controller } from '@nestjs/common';
import type { AskOrders } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ListOrdersHandler } from './list-orders.handler.js';

@Controller()
export class ListOrdersConsumer {
  constructor(private readonly handler: ListOrdersHandler) {}

  @Handles(OPERATIONS.listOrders)
  listOrders(asked: AskOrders) {
    return this.handler.handle(asked);
  }
}
