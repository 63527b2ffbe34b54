import type { ClientBase } from 'pg';
import { formatMicros, type ReportWindow } from '../domain/report-window.js';
import type { RevenuePart } from '@truetally/contracts/analytics';
import type { Position } from '@truetally/kernel';

/** Observed revenue of one currency and trust class, in minor units. */
export interface ObservedSum {
  readonly currency: string;
  readonly isFromServer: boolean;
  readonly events: number;
  readonly amount: bigint;
}

/** Recorded revenue of one currency; `orders` counts purchases. */
export interface RecordedSum {
  readonly currency: string;
  readonly orders: number;
  readonly amount: bigint;
}

/** One part of the difference in one currency. */
export interface PartSum {
  readonly currency: string;
  readonly part: RevenuePart;
  readonly count: number;
  readonly amount: bigint;
}

/** One event or order of a part. */
export interface PartItem {
  readonly orderId: string | null;
  readonly eventId: string | null;
  readonly recordId: string | null;
  /** Its place among items of one time. An event whose deduplication is over may be stored, and listed, twice. */
  readonly place: string;
  /** Postgres' text in UTC. */
  readonly at: string;
  readonly occurredAt: string;
  readonly amount: bigint;
}

const OBSERVED = `
  select currency, is_from_server as "isFromServer", count(*)::float8 as events, sum(amount)::text as amount
  from purchases where site_id = $1 and occurred_at >= $2 and occurred_at < $3 group by 1, 2`;
const RECORDED = `
  select currency, count(*) filter (where event_type = 'purchase')::float8 as orders,
    sum(revenue_delta)::text as amount
  from ledger_entries where site_id = $1 and occurred_at >= $2 and occurred_at < $3 group by 1`;

/**
 * Each event and each entry of the window, in one part. An event is matched with the purchase of its order if it is
 * the first of all that report it; a purchase with that event, wherever in time it is.
 */
const ITEMS = `
  with events as (
    select p.currency, p.order_id, p.event_id, p.amount, p.occurred_at,
      md5(concat(p.event_id, p.received_at))::uuid as place,
      o.record_id, o.revenue_delta, o.occurred_at as purchased_at,
      exists (select from purchases other where other.site_id = p.site_id and other.currency = p.currency
        and other.order_id = p.order_id
        and (other.occurred_at, other.event_id, other.received_at) < (p.occurred_at, p.event_id, p.received_at))
        as is_repeated,
      o.occurred_at >= $2 and o.occurred_at < $3 as is_inside
    from purchases p
    left join ledger_entries o on o.site_id = p.site_id and o.currency = p.currency
      and o.order_id = p.order_id and o.event_type = 'purchase'
    where p.site_id = $1 and p.occurred_at >= $2 and p.occurred_at < $3
  ), entries as (
    select e.*, first.event_id, first.occurred_at as seen_at
    from ledger_entries e
    left join lateral (
      select p.event_id, p.occurred_at from purchases p
      where e.event_type = 'purchase' and p.site_id = e.site_id and p.currency = e.currency
        and p.order_id = e.order_id
      order by p.occurred_at, p.event_id limit 1) first on true
    where e.site_id = $1 and e.occurred_at >= $2 and e.occurred_at < $3
  ), items as (
    select 'repeated_events' as part, currency, order_id, event_id, record_id, place, occurred_at, -amount as amount
      from events where is_repeated
    union all
    select 'events_without_order', currency, order_id, event_id, null, place, occurred_at, -amount
      from events where not is_repeated and record_id is null
    union all
    select 'outside_window', currency, order_id, event_id, record_id, place, purchased_at, -amount
      from events where not is_repeated and record_id is not null and not is_inside
    union all
    select 'other_amount', currency, order_id, event_id, record_id, place, purchased_at, revenue_delta - amount
      from events where not is_repeated and is_inside and revenue_delta <> amount
    union all
    select 'orders_without_event', currency, order_id, null, record_id, record_id, occurred_at, revenue_delta
      from entries where event_type = 'purchase' and event_id is null
    union all
    select 'outside_window', currency, order_id, event_id, record_id, record_id, occurred_at, revenue_delta
      from entries where event_type = 'purchase' and (seen_at < $2 or seen_at >= $3)
    union all
    select event_type || 's', currency, order_id, null, record_id, record_id, occurred_at, revenue_delta
      from entries where event_type <> 'purchase'
  )`;
const PARTS = `${ITEMS}
  select currency, part, count(*)::float8 as count, sum(amount)::text as amount from items group by 1, 2`;
const PAGE = `${ITEMS}
  select order_id as "orderId", event_id as "eventId", record_id as "recordId", place, amount::text as amount,
    occurred_at::text as at,
    to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "occurredAt"
  from items
  where part = $4 and currency = $5
    and ($6::timestamptz is null or (occurred_at, place) < ($6, $7::uuid))
  order by occurred_at desc, place desc
  limit $8`;

type AsText<T> = Omit<T, 'amount'> & { readonly amount: string };

/** What both sides of revenue hold in a window, in one transaction. */
export class RevenueReads {
  private readonly values: readonly [string, string, string];

  constructor(
    private readonly client: ClientBase,
    siteId: string,
    window: ReportWindow,
  ) {
    this.values = [siteId, formatMicros(window.from), formatMicros(window.to)];
  }

  async observed(): Promise<readonly ObservedSum[]> {
    const { rows } = await this.client.query<AsText<ObservedSum>>(OBSERVED, [...this.values]);
    return rows.map(withAmount);
  }

  async recorded(): Promise<readonly RecordedSum[]> {
    const { rows } = await this.client.query<AsText<RecordedSum>>(RECORDED, [...this.values]);
    return rows.map(withAmount);
  }

  async parts(): Promise<readonly PartSum[]> {
    const { rows } = await this.client.query<AsText<PartSum>>(PARTS, [...this.values]);
    return rows.map(withAmount);
  }

  /** Newest first. */
  async items(
    part: RevenuePart,
    currency: string,
    { after, limit }: { readonly after: Position | null; readonly limit: number },
  ): Promise<readonly PartItem[]> {
    const place = [after?.at ?? null, after?.id ?? null, limit];
    const { rows } = await this.client.query<AsText<PartItem>>(PAGE, [
      ...this.values,
      part,
      currency,
      ...place,
    ]);
    return rows.map(withAmount);
  }
}

function withAmount<T extends { readonly amount: string }>(row: T): Omit<T, 'amount'> & { amount: bigint } {
  return { ...row, amount: BigInt(row.amount) };
}
