import {
  type AskSealedRecords,
  RECORD_COLUMNS,
  SEAL_FORMAT,
  type SealedRecord,
  SEQUENCE,
} from '@truetally/contracts/attribution';
import type { Page } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { whileAvailable } from '@truetally/service';
import { refusedCursor } from '../domain/refused-cursor.js';
import { type ChainRow, type ChainStore } from '../storage/chain.store.js';

export class ListSealedRecordsHandler {
  constructor(private readonly chain: ChainStore) {}

  /** The cursor is the position of the last record shown. */
  async handle(asked: AskSealedRecords): Promise<Reply<Page<SealedRecord>>> {
    const { site_id: siteId, order_id: orderId, from_sequence: from, limit, cursor } = asked;
    if (cursor !== null && !SEQUENCE.test(cursor)) return refusedCursor();
    const after = cursor ?? String(BigInt(from ?? 1) - 1n);
    const { rows, isMore } = await whileAvailable(() =>
      orderId === null
        ? this.chain.page(siteId, after, limit)
        : this.chain.pageOfOrder({ siteId, orderId }, after, limit),
    );
    return {
      ok: { items: rows.map(present), next_cursor: isMore ? (rows.at(-1)?.chain_sequence ?? null) : null },
    };
  }
}

function present(row: ChainRow): SealedRecord {
  return {
    sequence: row.chain_sequence ?? '',
    format: SEAL_FORMAT,
    previous_hash: row.previous_hash,
    hash: row.hash,
    fields: RECORD_COLUMNS.map((column) => [column, row[column]] as const),
  };
}
