import type { ListSettlements } from '@truetally/contracts/publisher';
import { cursorOf, failure, readCursor, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { type SettlementReads } from '../storage/settlement-reads.js';

export class ListSettlementsHandler {
  constructor(private readonly reads: SettlementReads) {}

  async handle({ site_id: siteId, provider, limit, cursor }: ListSettlements): Promise<Reply<object>> {
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
