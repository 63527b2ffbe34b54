import { Controller } from '@nestjs/common';
import type { AskEvents } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { ListEventsHandler } from './list-events.handler.js';

@Controller()
export class ListEventsConsumer {
  constructor(
    private readonly handler: ListEventsHandler,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.listEvents)
  listEvents(asked: AskEvents, context: AskContext) {
    return this.turns.run(context, () => this.handler.handle(asked));
  }
}
