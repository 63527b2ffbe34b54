import { Controller } from '@nestjs/common';
import type { AskSeenSessions } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ReadSeenSessionsHandler } from './read-seen-sessions.handler.js';

@Controller()
export class ReadSeenSessionsConsumer {
  constructor(private readonly handler: ReadSeenSessionsHandler) {}

  @Handles(OPERATIONS.readSeenSessions)
  readSeenSessions(asked: AskSeenSessions) {
    return this.handler.handle(asked);
  }
}
