import type { MatchedTouch } from '@truetally/contracts/attribution';
import type { Pool } from 'pg';
import { toMilliseconds } from '../domain/instants.js';
import { conversionIdOf, touchRowIdOf } from '../domain/names.js';
import { ORDER_COLUMNS, type OrderPage, type OrderRecord } from '../domain/order-record.js';

/**
 * Size of entry lines in one page: fits an order of 500 long lines, and a small part of the message limit.
 */
const MAX_LINE_BYTES = 1_048_576;

const COLUMNS = ORDER_COLUMNS.map((column) => `${column}::text`).join(', ');
const PAGE_COLUMNS = ORDER_COLUMNS.map((column) =>
  column === 'attribution' ? 'null as attribution' : `${column}::text`,
).join(', ');
const READ_ENDS = `
  (select ${COLUMNS}, hash from records r where r.conversion_id = $1 order by r.order_sequence limit 1)
  union all
  (select ${COLUMNS}, hash from records r where r.conversion_id = $1 order by r.order_sequence desc limit 1)`;
/** At least one, however long its lines are. */
const READ_PAGE = `
  with page as (
    select r.*, sum(octet_length(r.lines::text)) over (order by r.order_sequence) as line_bytes
    from (
      select * from records r where r.conversion_id = $1 and r.order_sequence > $2 and r.order_sequence <= $3
      order by r.order_sequence limit $4
    ) r
  )
  select ${PAGE_COLUMNS}, hash from page
  where coalesce(line_bytes, 0) <= ${MAX_LINE_BYTES} or page.order_sequence = $2 + 1
  order by page.order_sequence`;
const READ_TOUCHES = `
  select touch_id, provider, partner_id, occurred_at::text from touches where id = any($1::uuid[])`;

interface PageBounds {
  readonly after: number;
  readonly limit: number;
}

/** Orders for answers. */
export class OrderStore {
  constructor(private readonly pool: Pool) {}

  /**
   * An order with the records after a position, 0 for the first: at most `limit`, fewer when their lines are
   * long. Undefined for an unknown order.
   */
  async read(siteId: string, orderId: string, { after, limit }: PageBounds): Promise<OrderPage | undefined> {
    const conversionId = conversionIdOf(siteId, orderId);
    const ends = await this.pool.query<OrderRecord>({
      name: 'read-order-ends',
      text: READ_ENDS,
      values: [conversionId],
    });
    const [purchase, last] = ends.rows.toSorted(byPosition);
    if (purchase === undefined || last === undefined) return undefined;
    // Bounded by the last record that was read: records never change, so both reads are consistent.
    const { rows: entries } = await this.pool.query<OrderRecord>({
      name: 'read-order-page',
      text: READ_PAGE,
      values: [conversionId, after, last.order_sequence, limit],
    });
    return { purchase, last, entries };
  }

  /** The stored ones of these touches, by touch id. */
  async touches(siteId: string, touchIds: readonly string[]): Promise<ReadonlyMap<string, MatchedTouch>> {
    if (touchIds.length === 0) return new Map();
    const { rows } = await this.pool.query<MatchedTouch>({
      name: 'read-order-touches',
      text: READ_TOUCHES,
      values: [touchIds.map((touchId) => touchRowIdOf(siteId, touchId))],
    });
    return new Map(
      rows.map((row) => [row.touch_id, { ...row, occurred_at: toMilliseconds(row.occurred_at) }]),
    );
  }
}

function byPosition(one: OrderRecord, other: OrderRecord): number {
  return Number(one.order_sequence) - Number(other.order_sequence);
}
