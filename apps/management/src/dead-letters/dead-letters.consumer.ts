import { Controller } from '@nestjs/common';
import type { ResourceCommand, ResourceQuery } from '@truetally/contracts/resource';
import { OPERATIONS } from '@truetally/contracts/topics';
import {
  type AskContext,
  findDeadLetter,
  Messaging,
  replayDeadLetter as writeBack,
  Handles,
} from '@truetally/messaging';
import { ResourceDatabase } from '@truetally/resource';
import { discardDeadLetter, type Graveyard, replayDeadLetter } from './handle-dead-letter.js';
import { listDeadLetters } from './list-dead-letters.js';

@Controller()
export class DeadLettersConsumer {
  constructor(
    private readonly database: ResourceDatabase,
    private readonly messaging: Messaging,
  ) {}

  @Handles(OPERATIONS.listDeadLetters)
  list(query: ResourceQuery) {
    return this.database.query(query, listDeadLetters);
  }

  @Handles(OPERATIONS.replayDeadLetter)
  replay(command: ResourceCommand, { correlationId, requestId }: AskContext) {
    const graveyard: Graveyard = {
      find: (buried) => findDeadLetter(this.messaging, buried),
      replay: (found) => writeBack(this.messaging, found),
    };
    const work = replayDeadLetter(graveyard, requestId);
    return this.database.command(command, correlationId, work);
  }

  @Handles(OPERATIONS.discardDeadLetter)
  discard(command: ResourceCommand, { correlationId, requestId }: AskContext) {
    return this.database.command(command, correlationId, discardDeadLetter(requestId));
  }
}
