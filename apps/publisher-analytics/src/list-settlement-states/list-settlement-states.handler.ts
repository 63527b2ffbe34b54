import { Inject, Injectable } from '@nestjs/common';
import { readListSettlementStates } from '@truetally/contracts/publisher';
import { cursorOf, failure, readCursor, type Reply } from '@truetally/kernel';
import { UnreadableError } from '@truetally/messaging';
import { whileAvailable } from '@truetally/service';
import { SettlementReads } from '../storage/settlement-reads.js';

@Injectable()
export class ListSettlementStatesHandler {
  constructor(@Inject(SettlementReads) private readonly reads: SettlementReads) {}

  async handle(message: unknown): Promise<Reply<object>> {
    const read = readListSettlementStates(message);
    if (!read.ok) throw new UnreadableError(read.error);
    const { site_id: siteId, provider, settlement_id: settlementId, limit, cursor } = read.value;
    const before = cursor === null ? null : readCursor(cursor);
    if (before === undefined || (before !== null && before.id !== settlementId)) {
      return failure('VALIDATION_ERROR', 'The cursor is not one of ours.', {
        cursor: ['must be the next_cursor of a page'],
      });
    }
    const asked = { siteId, provider, settlementId };
    const page = await whileAvailable(() => this.reads.history(asked, limit, before?.at ?? null));
    if (page === undefined) return failure('NOT_FOUND', 'There is no such settlement.');
    const { states, next } = page;
    return {
      ok: {
        items: states,
        next_cursor: next === null ? null : cursorOf({ at: toPosition(next), id: settlementId }),
      },
    };
  }
}

/** An instant as Postgres writes it, as in every cursor. */
function toPosition(instant: string): string {
  return instant.replace('T', ' ').replace('Z', '+00');
}
