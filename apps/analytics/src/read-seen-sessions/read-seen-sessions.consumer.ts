import { Controller } from '@nestjs/common';
import type { AskSeenSessions } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { ReadSeenSessionsHandler } from './read-seen-sessions.handler.js';

@Controller()
export class ReadSeenSessionsConsumer {
  constructor(
    private readonly handler: ReadSeenSessionsHandler,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.readSeenSessions)
  readSeenSessions(asked: AskSeenSessions, context: AskContext) {
    return this.turns.run(context, () => this.handler.handle(asked));
  }
}
