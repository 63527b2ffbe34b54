import { Controller } from '@nestjs/common';
import type { AskSealedRecords } from '@truetally/contracts/attribution';
import { OPERATIONS } from '@truetally/contracts/topics';
import { Handles } from '@truetally/messaging';
import { ListSealedRecordsHandler } from './list-sealed-records.handler.js';

@Controller()
export class ListSealedRecordsConsumer {
  constructor(private readonly handler: ListSealedRecordsHandler) {}

  @Handles(OPERATIONS.listSealedRecords)
  listSealedRecords(asked: AskSealedRecords) {
    return this.handler.handle(asked);
  }
}
