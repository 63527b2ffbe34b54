import type { ListSettlements } from '@truetally/contracts/publisher';
import { resourceRefusals } from '@truetally/contracts/resource';
import { cursorOf, readCursor, type Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { SettlementReads } from '../storage/settlement-reads.js';

export const listSettlements =
  (reads: SettlementReads) =>
  async ({ site_id: siteId, provider, limit, cursor }: ListSettlements): Promise<Reply<object>> => {
    const after = cursor === null ? null : readCursor(cursor);
    if (after === undefined) {
      return resourceRefusals.badCursor();
    }
    const { settlements, next } = await whileAvailable(() => reads.page(siteId, provider, limit, after));
    return { ok: { items: settlements, next_cursor: next === null ? null : cursorOf(next) } };
  };
