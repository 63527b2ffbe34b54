import {
  type AskSealedRecords,
  RECORD_COLUMNS,
  SEAL_FORMAT,
  type SealedRecord,
  SEQUENCE,
} from '@truetally/contracts/attribution';
import { type Page, resourceRefusals } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import type { ChainRow, ChainStore } from '../storage/chain.store.js';

/** The cursor is the position of the last record shown. */
export const listSealedRecords =
  (chain: ChainStore) =>
  async (asked: AskSealedRecords): Promise<Reply<Page<SealedRecord>>> => {
    const { site_id: siteId, order_id: orderId, from_sequence: from, limit, cursor } = asked;
    if (cursor !== null && !SEQUENCE.test(cursor)) return resourceRefusals.badCursor();
    const after = cursor ?? String(BigInt(from ?? 1) - 1n);
    const { rows, isMore } = await whileAvailable(() =>
      orderId === null
        ? chain.page(siteId, after, limit)
        : chain.pageOfOrder({ siteId, orderId }, after, limit),
    );
    return {
      ok: { items: rows.map(present), next_cursor: isMore ? (rows.at(-1)?.chain_sequence ?? null) : null },
    };
  };

function present(row: ChainRow): SealedRecord {
  return {
    sequence: row.chain_sequence ?? '',
    format: SEAL_FORMAT,
    previous_hash: row.previous_hash,
    hash: row.hash,
    fields: RECORD_COLUMNS.map((column) => [column, row[column]] as const),
  };
}
