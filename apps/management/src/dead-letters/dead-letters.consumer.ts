import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Messaging, replayDeadLetter as putBack } from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { discardDeadLetter, replayDeadLetter } from './handle-dead-letter.js';
import { listDeadLetters } from './list-dead-letters.js';

@Controller()
export class DeadLettersConsumer {
  constructor(
    @Inject(ResourceDatabase) private readonly database: ResourceDatabase,
    @Inject(Messaging) private readonly messaging: Messaging,
  ) {}

  @MessagePattern(OPERATIONS.listDeadLetters)
  list(@Payload() message: unknown) {
    return this.database.query(message, listDeadLetters);
  }

  @MessagePattern(OPERATIONS.replayDeadLetter)
  replay(@Payload() message: unknown, @Ctx() { correlationId, requestId }: AskContext) {
    const work = replayDeadLetter((buried) => putBack(this.messaging, buried), requestId);
    return this.database.command(message, correlationId, work);
  }

  @MessagePattern(OPERATIONS.discardDeadLetter)
  discard(@Payload() message: unknown, @Ctx() { correlationId, requestId }: AskContext) {
    return this.database.command(message, correlationId, discardDeadLetter(requestId));
  }
}
