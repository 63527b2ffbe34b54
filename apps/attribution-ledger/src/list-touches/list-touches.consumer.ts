import { Controller } from '@nestjs/common';
import type { SitePageQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ListTouchesHandler } from './list-touches.handler.js';

@Controller()
export class ListTouchesConsumer {
  constructor(private readonly handler: ListTouchesHandler) {}

  @Handles(OPERATIONS.listTouches)
  listTouches(asked: SitePageQuery) {
    return this.handler.handle(asked);
  }
}
