import { Controller } from '@nestjs/common';
import type { ReadOrder } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ReadOrderHandler } from './read-order.handler.js';

@Controller()
export class ReadOrderConsumer {
  constructor(private readonly handler: ReadOrderHandler) {}

  @Handles(OPERATIONS.readOrder)
  readOrder(asked: ReadOrder) {
    return this.handler.handle(asked);
  }
}
