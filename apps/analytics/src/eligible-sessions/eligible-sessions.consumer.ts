import { Controller } from '@nestjs/common';
import type { AskEligibleSessions } from '@truetally/contracts/analytics';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { EligibleSessionsHandler } from './eligible-sessions.handler.js';

@Controller()
export class EligibleSessionsConsumer {
  constructor(private readonly handler: EligibleSessionsHandler) {}

  @Handles(OPERATIONS.readEligibleSessions)
  readEligibleSessions(asked: AskEligibleSessions) {
    return this.handler.handle(asked);
  }
}
