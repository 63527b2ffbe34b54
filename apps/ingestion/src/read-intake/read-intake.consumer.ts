import { Controller } from '@nestjs/common';
import type { ReadIntake } from '@truetally/contracts/events';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ReadIntakeHandler } from './read-intake.handler.js';

@Controller()
export class ReadIntakeConsumer {
  constructor(private readonly handler: ReadIntakeHandler) {}

  @Handles(OPERATIONS.readIntake)
  readIntake(asked: ReadIntake) {
    return this.handler.handle(asked);
  }
}
