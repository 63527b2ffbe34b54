import { RECORD_COLUMNS, type SealedFields } from '@truetally/contracts/attribution';
import type { Pool } from 'pg';
import { conversionIdOf } from '../domain/names.js';
import type { OrderName } from './awaited-touches.js';

/** A record, each column as the text that was sealed. */
export type ChainRow = SealedFields & { readonly previous_hash: string; readonly hash: string };

export interface ChainPage {
  readonly rows: readonly ChainRow[];
  readonly isMore: boolean;
}

/** Of the fields of one page (interface page, section 6). */
const MAX_FIELD_BYTES = 1_048_576;
/** Records read at once: those of 500 lines have some 6 MB together. */
const ROWS_AT_ONCE = 100;

/** Every column as the text that was sealed: sessions have UTC and ISO dates. */
export const RECORD_TEXTS = RECORD_COLUMNS.map((column) => `r.${column}::text`).join(', ');
const READ_CHAIN = `
  select ${RECORD_TEXTS}, r.previous_hash, r.hash from records r
  where r.site_id = $1 and r.chain_sequence > $2::bigint order by r.chain_sequence limit $3`;
/** Along an order both sequences rise; the first one has the index. */
const READ_CHAIN_OF_ORDER = `
  select ${RECORD_TEXTS}, r.previous_hash, r.hash from records r
  where r.conversion_id = $1 and r.chain_sequence > $2::bigint order by r.order_sequence limit $3`;

/** What was sealed, in pages. */
export class ChainStore {
  constructor(private readonly pool: Pool) {}

  /** At most `limit` records after a position; fewer when they are long. */
  page(siteId: string, after: string, limit: number): Promise<ChainPage> {
    return this.read({ name: 'read-chain', text: READ_CHAIN, key: siteId }, after, limit);
  }

  /** The same of one order; none for an unknown one. */
  pageOfOrder({ siteId, orderId }: OrderName, after: string, limit: number): Promise<ChainPage> {
    const key = conversionIdOf(siteId, orderId);
    return this.read({ name: 'read-chain-of-order', text: READ_CHAIN_OF_ORDER, key }, after, limit);
  }

  private async read({ name, text, key }: Statement, after: string, limit: number): Promise<ChainPage> {
    const page: ChainRow[] = [];
    let bytes = 0;
    let place = after;
    // Ends: every turn adds at least one record, or returns.
    for (;;) {
      // One row more than is shown says whether others follow.
      const wanted = Math.min(ROWS_AT_ONCE, limit + 1 - page.length);
      const { rows } = await this.pool.query<ChainRow>({ name, text, values: [key, place, wanted] });
      for (const row of rows) {
        bytes += bytesOf(row);
        if (page.length === limit || (page.length > 0 && bytes > MAX_FIELD_BYTES)) {
          return { rows: page, isMore: true };
        }
        page.push(row);
      }
      if (rows.length < wanted) return { rows: page, isMore: false };
      place = rows.at(-1)?.chain_sequence ?? place;
    }
  }
}

interface Statement {
  readonly name: string;
  readonly text: string;
  /** A site, or the conversion of an order. */
  readonly key: string;
}

function bytesOf(row: ChainRow): number {
  return RECORD_COLUMNS.reduce((sum, column) => sum + Buffer.byteLength(row[column] ?? ''), 0);
}
