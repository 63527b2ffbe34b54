import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import type { ReadOrderReply } from '@truetally/contracts/attribution';
import { TOPICS } from '@truetally/contracts/topics';
import { ReadOrderHandler } from './read-order.handler.js';

@Controller()
export class ReadOrderConsumer {
  constructor(@Inject(ReadOrderHandler) private readonly handler: ReadOrderHandler) {}

  @MessagePattern(TOPICS.readOrder.name)
  readOrder(@Payload() message: unknown): Promise<ReadOrderReply> {
    return this.handler.handle(message);
  }
}
