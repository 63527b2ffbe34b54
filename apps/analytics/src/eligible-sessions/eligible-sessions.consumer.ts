import { Controller } from '@nestjs/common';
import type { AskEligibleSessions } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { EligibleSessionsHandler } from './eligible-sessions.handler.js';

@Controller()
export class EligibleSessionsConsumer {
  constructor(
    private readonly handler: EligibleSessionsHandler,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.readEligibleSessions)
  readEligibleSessions(asked: AskEligibleSessions, context: AskContext) {
    return this.turns.run(context, () => this.handler.handle(asked));
  }
}
