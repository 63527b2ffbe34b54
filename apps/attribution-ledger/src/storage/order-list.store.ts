import type { Attribution, OrderState } from '@truetally/contracts/attribution';
import { fitting } from '@truetally/kernel';
import type { Pool } from 'pg';

/** Which orders of a site. */
export interface OrderFilter {
  readonly siteId: string;
  readonly state: OrderState | null;
  readonly currency: string | null;
  /** Of the purchase, in microseconds since 1970: from ≤ t < to. */
  readonly from: string | null;
  readonly to: string | null;
  /** At most one of both: a prefix lists by order id, everything else the newest first. */
  readonly prefix: string | null;
  readonly term: string | null;
  /** The order after which the page starts. */
  readonly after: string | null;
  readonly limit: number;
}

/** An order's purchase and newest record; amounts are minor units. */
export interface OrderRow {
  readonly conversion_id: string;
  readonly order_id: string;
  readonly currency: string;
  readonly state: OrderState;
  readonly entry_count: number;
  readonly occurred_at: string;
  readonly recorded_at: string;
  readonly changed_at: string;
  readonly revenue: string;
  readonly remaining_revenue: string;
  readonly remaining_commissionable: string;
  readonly commission: string;
  readonly attribution: readonly Attribution[];
}

export interface OrderRows {
  readonly rows: readonly OrderRow[];
  /** Continues the list; null at its end. */
  readonly next: string | null;
}

/**
 * Orders of an index that one page looks at: a filter that few of them pass ends the page early, so that its time is
 * bounded (some tens of milliseconds).
 */
const MOST_SCANNED = 20_000;
const SMALLEST = String(-(2n ** 63n));
const LARGEST = String(2n ** 63n - 1n);
/** Sorts after every continuation of a prefix: an order id has at most 128 characters. */
const AFTER_ANY_SUFFIX = String.fromCodePoint(0x10_ff_ff).repeat(128);

/** Pages of a site's orders. */
export class OrderListStore {
  constructor(
    private readonly pool: Pool,
    private readonly mostScanned = MOST_SCANNED,
  ) {}

  /** @returns undefined when `after` is no order of the site */
  async list(filter: OrderFilter): Promise<OrderRows | undefined> {
    const start = await this.startOf(filter);
    if (start === undefined) return undefined;
    const { text, values } = this.pageQuery(filter, start);
    const { rows } = await this.pool.query<ScannedRow>(text, values);
    const page = fitting(rows.slice(0, filter.limit), (row) => JSON.stringify(row));
    // The last one that was looked at ends a page early; a row behind the page shows that there are others.
    const isMore = rows.length > page.length || Number(page.at(-1)?.place) === this.mostScanned;
    return {
      rows: page.filter((row) => row.is_match),
      next: isMore ? (page.at(-1)?.conversion_id ?? null) : null,
    };
  }

  private async startOf({ siteId, after, prefix }: OrderFilter): Promise<Start | undefined> {
    if (after === null) return { newestFirst: SMALLEST, orderId: prefix ?? '', isAfter: false };
    const { rows } = await this.pool.query<{ newest_first: string; order_id: string }>({
      name: 'find-listed-order',
      text: 'select newest_first::text, order_id from orders where conversion_id = $1 and site_id = $2',
      values: [after, siteId],
    });
    const [row] = rows;
    return row === undefined
      ? undefined
      : { newestFirst: row.newest_first, orderId: row.order_id, isAfter: true };
  }

  private pageQuery(filter: OrderFilter, start: Start): { text: string; values: unknown[] } {
    const { siteId, state, currency, from, to, prefix, limit } = filter;
    const values: unknown[] = [
      siteId,
      state,
      currency,
      before(from),
      before(to),
      this.mostScanned,
      limit + 1,
    ];
    const bind = (value: unknown): string => `$${values.push(value)}`;
    const scan = prefix === null ? newestScan(filter, start, bind) : prefixScan(prefix, start, bind);
    return { text: pageOf(scan), values };
  }
}

interface ScannedRow extends OrderRow {
  readonly is_match: boolean;
  /** In the scan, from 1. */
  readonly place: string;
}

interface Start {
  readonly newestFirst: string;
  readonly orderId: string;
  readonly isAfter: boolean;
}

type Bind = (value: unknown) => string;

interface Scan {
  /** From an index, without sorting. */
  readonly rows: string;
  readonly order: string;
}

/** Null where nothing is asked; the index counts backwards. */
function before(micros: string | null): string | null {
  return micros === null ? null : String(-BigInt(micros));
}

function newestScan({ term, state }: OrderFilter, start: Start, bind: Bind): Scan {
  const position = `(${bind(start.newestFirst)}::bigint, ${bind(start.orderId)})`;
  const within = `newest_first <= coalesce($4::bigint, ${LARGEST}) and newest_first > coalesce($5::bigint, ${SMALLEST})`;
  const after = `site_id = $1 and (newest_first, order_id) > ${position} and ${within}`;
  const order = 'newest_first, order_id';
  if (term !== null) {
    return {
      rows: `select conversion_id, ${order} from order_terms where term = ${bind(term)} and ${after}`,
      order,
    };
  }
  // Written into the statement: a partial index has those that were changed, often few of many.
  const changed = state === null || state === 'recorded' ? '' : ` and state = '${state}'`;
  return { rows: `select conversion_id, ${order} from orders where ${after}${changed}`, order };
}

function prefixScan(prefix: string, start: Start, bind: Bind): Scan {
  const comparison = start.isAfter ? '>' : '>=';
  const rows = `select conversion_id, order_id from orders where site_id = $1
    and order_id ${comparison} ${bind(start.orderId)} and order_id < ${bind(prefix + AFTER_ANY_SUFFIX)}`;
  return { rows, order: 'order_id' };
}

/** Looks at most at `$6` rows of the scan, and stops when the page is full: none of it is sorted. */
function pageOf({ rows, order }: Scan): string {
  return `
    select page.conversion_id, page.order_id, page.currency, page.state, page.entry_count, page.is_match, page.place,
      first.occurred_at::text, first.recorded_at::text, last.recorded_at::text as changed_at,
      first.receivable::text as revenue, last.receivable_balance::text as remaining_revenue,
      last.commissionable_balance::text as remaining_commissionable, last.commission_balance::text as commission,
      last.attribution
    from (
      select * from (
        select scanned.place, orders.*,
          (orders.state = coalesce($2, orders.state) and orders.currency = coalesce($3, orders.currency)
            and orders.newest_first <= coalesce($4::bigint, ${LARGEST})
            and orders.newest_first > coalesce($5::bigint, ${SMALLEST})) as is_match
        from (
          select scan.conversion_id, row_number() over (order by ${order}) as place
          from (${rows} order by ${order} limit $6) scan
        ) scanned
        cross join lateral (select * from orders o where o.conversion_id = scanned.conversion_id limit 1) orders
      ) judged
      where is_match or place = $6
      limit $7
    ) page
    cross join lateral (
      select * from records r where r.conversion_id = page.conversion_id and r.order_sequence = 1 limit 1
    ) first
    cross join lateral (
      select * from records r where r.conversion_id = page.conversion_id order by r.order_sequence desc limit 1
    ) last
    order by page.place`;
}
