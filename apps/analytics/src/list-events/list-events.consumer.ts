import { Controller } from '@nestjs/common';
import type { AskEvents } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ListEventsHandler } from './list-events.handler.js';

@Controller()
export class ListEventsConsumer {
  constructor(private readonly handler: ListEventsHandler) {}

  @Handles(OPERATIONS.listEvents)
  listEvents(asked: AskEvents) {
    return this.handler.handle(asked);
  }
}
