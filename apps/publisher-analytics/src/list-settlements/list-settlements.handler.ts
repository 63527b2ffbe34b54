import { Inject, Injectable } from '@nestjs/common';
import { readListSettlements } from '@truetally/contracts/publisher';
import { cursorOf, failure, readCursor, type Reply } from '@truetally/kernel';
import { UnreadableError } from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import { SettlementReads } from '../storage/settlement-reads.js';

@Injectable()
export class ListSettlementsHandler {
  constructor(@Inject(SettlementReads) private readonly reads: SettlementReads) {}

  async handle(message: unknown): Promise<Reply<object>> {
    const read = readListSettlements(message);
    if (!read.ok) throw new UnreadableError(read.error);
    const { site_id: siteId, provider, limit, cursor } = read.value;
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) {
      return failure('VALIDATION_ERROR', 'The cursor is not one of ours.', {
        cursor: ['must be the next_cursor of a page'],
      });
    }
    const { settlements, next } = await whileAvailable(() => this.reads.page(siteId, provider, limit, after));
    return { ok: { items: settlements, next_cursor: next === null ? null : cursorOf(next) } };
  }
}
