import { Controller } from '@nestjs/common';
import type { AskSealedRecords } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type AskContext, Handles } from '@truetally/messaging';
import { ReadTurns } from '@truetally/service';
import { ListSealedRecordsHandler } from './list-sealed-records.handler.js';

@Controller()
export class ListSealedRecordsConsumer {
  constructor(
    private readonly handler: ListSealedRecordsHandler,
    private readonly turns: ReadTurns,
  ) {}

  @Handles(OPERATIONS.listSealedRecords)
  listSealedRecords(asked: AskSealedRecords, context: AskContext) {
    return this.turns.run(context, () => this.handler.handle(asked));
  }
}
