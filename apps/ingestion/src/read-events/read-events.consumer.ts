import { Controller } from '@nestjs/common';
import type { ReadEvents } from '@truetally/contracts/events';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ReadEventsHandler } from './read-events.handler.js';

@Controller()
export class ReadEventsConsumer {
  constructor(private readonly handler: ReadEventsHandler) {}

  @Handles(OPERATIONS.readEvents)
  readEvents(asked: ReadEvents) {
    return this.handler.handle(asked);
  }
}
