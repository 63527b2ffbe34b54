import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import type { ListTouchesReply } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { ListTouchesHandler } from './list-touches.handler.js';

@Controller()
export class ListTouchesConsumer {
  constructor(@Inject(ListTouchesHandler) private readonly handler: ListTouchesHandler) {}

  @MessagePattern(OPERATIONS.listTouches)
  listTouches(@Payload() message: unknown): Promise<ListTouchesReply> {
    return this.handler.handle(message);
  }
}
