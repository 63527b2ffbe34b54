import type { ListSettlementStates } from '@truetally/contracts/publisher';
import { resourceRefusals } from '@truetally/contracts/resource';
import { cursorBehind, failure, readCursor, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { SettlementReads } from '../storage/settlement-reads.js';

export const listSettlementStates =
  (reads: SettlementReads) =>
  async (asked: ListSettlementStates): Promise<Reply<object>> => {
    const { site_id: siteId, provider, settlement_id: settlementId, limit, cursor } = asked;
    const before = cursor === null ? null : readCursor(cursor);
    if (before === undefined || (before !== null && before.id !== settlementId)) {
      return resourceRefusals.badCursor();
    }
    const settlement = { siteId, provider, settlementId };
    const page = await whileAvailable(() => reads.history(settlement, limit, before?.at ?? null));
    if (page === undefined) return failure('NOT_FOUND', 'There is no such settlement.');
    const { states, next } = page;
    return {
      ok: {
        items: states,
        next_cursor: next === null ? null : cursorBehind(next, settlementId),
      },
    };
  };
