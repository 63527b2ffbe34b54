import { Controller, Inject } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import { FindClickHandler } from './find-click.handler.js';

@Controller()
export class FindClickConsumer {
  constructor(@Inject(FindClickHandler) private readonly handler: FindClickHandler) {}

  @MessagePattern(OPERATIONS.findClick)
  findClick(@Payload() message: unknown): Promise<Reply<object>> {
    return this.handler.handle(message);
  }
}
