import { Controller } from '@nestjs/common';
import type { ReadTrail } from '@truetally/contracts/events';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ReadTrailHandler } from './read-trail.handler.js';

@Controller()
export class ReadTrailConsumer {
  constructor(private readonly handler: ReadTrailHandler) {}

  @Handles(OPERATIONS.readTrail)
  readTrail(asked: ReadTrail) {
    return this.handler.handle(asked);
  }
}
