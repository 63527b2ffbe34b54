import { Controller } from '@nestjs/common';
import type { FindClick } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { FindClickHandler } from './find-click.handler.js';

@Controller()
export class FindClickConsumer {
  constructor(private readonly handler: FindClickHandler) {}

  @Handles(OPERATIONS.findClick)
  findClick(asked: FindClick) {
    return this.handler.handle(asked);
  }
}
