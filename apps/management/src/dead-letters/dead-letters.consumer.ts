import { Controller, Inject } from '@nestjs/common';
import { Ctx, MessagePattern, Payload } from '@nestjs/microservices';
import { OPERATIONS } from '@truetally/contracts/topics';
import {
  type AskContext,
  findDeadLetter,
  Messaging,
  replayDeadLetter as writeBack,
} from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { discardDeadLetter, type Graveyard, replayDeadLetter } from './handle-dead-letter.js';
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
    const graveyard: Graveyard = {
      find: (buried) => findDeadLetter(this.messaging, buried),
      replay: (found) => writeBack(this.messaging, found),
    };
    const work = replayDeadLetter(graveyard, requestId);
    return this.database.command(message, correlationId, work);
  }

  @MessagePattern(OPERATIONS.discardDeadLetter)
  discard(@Payload() message: unknown, @Ctx() { correlationId, requestId }: AskContext) {
    return this.database.command(message, correlationId, discardDeadLetter(requestId));
  }
}
