import type { MatchedTouch } from '@truetally/contracts';
import type { Pool } from 'pg';
import { toMilliseconds } from '../domain/instants.js';
import { conversionIdOf, touchRowIdOf } from '../domain/names.js';
import { ORDER_COLUMNS, type OrderRecord } from '../domain/order-record.js';

const READ = `
  select ${ORDER_COLUMNS.map((column) => `${column}::text`).join(', ')}, hash
  from records r where r.conversion_id = $1 order by r.order_sequence`;
const READ_TOUCHES = `
  select touch_id, provider, partner_id, occurred_at::text from touches where id = any($1::uuid[])`;

/** Orders as they can be shown. */
export class OrderStore {
  constructor(private readonly pool: Pool) {}

  /** Every record of an order, in their order; none when there is no such order. */
  async read(siteId: string, orderId: string): Promise<readonly OrderRecord[]> {
    const { rows } = await this.pool.query<OrderRecord>({
      name: 'read-order',
      text: READ,
      values: [conversionIdOf(siteId, orderId)],
    });
    return rows;
  }

  /** Those of these touches that have come, by touch id. */
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
