import { arrayLiteral, BinaryRows, copyIn } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { EventFact, LedgerEntryFact, TouchFact } from '../domain/facts.js';
import { MICROS_PER_MS } from '../domain/quarters.js';

/** A purchase whose currency is known. */
export interface PricedPurchase {
  readonly event: EventFact;
  readonly orderId: string | null;
  readonly currency: string;
  /** Minor units. */
  readonly amount: bigint;
}

const COLUMNS =
  'event_id, site_id, session_key, request_key, occurred_at, received_at, position, is_bot, event_type, device';

/** Adds events, and returns those that were not known. */
export type AddEvents = (client: ClientBase, events: readonly EventFact[]) => Promise<readonly EventFact[]>;

const COPY_EVENTS = `copy events (${COLUMNS}) from stdin with (format binary)`;
const COLUMN_COUNT = COLUMNS.split(',').length;

/** Fails with a unique violation if any of the events is known: that is rare, and this costs two thirds of the other. */
export const copyEvents: AddEvents = async (client, events) => {
  const rows = new BinaryRows(COLUMN_COUNT);
  for (const event of events) {
    rows.row().uuid(event.eventId).uuid(event.siteId).uuid(event.sessionKey).uuid(event.requestKey);
    rows.timestamp(event.occurredMicros).timestamp(microsOf(event.receivedAt)).bigint(Number(event.position));
    rows.boolean(event.isBot).text(event.eventType).text(event.device);
  }
  if (!rows.isEmpty) await copyIn(client, COPY_EVENTS, rows.finish());
  return events;
};

/** @throws RangeError for a text that is no time */
function microsOf(time: string): number {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) throw new RangeError(`Not a time: ${time}`);
  return ms * MICROS_PER_MS;
}

const INSERT_EVENTS = `
  insert into events (${COLUMNS})
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::timestamptz[], $6::timestamptz[],
    $7::bigint[], $8::boolean[], $9::text[], $10::text[])
  on conflict do nothing returning event_id`;

/** Where some events may be known. */
export const insertEvents: AddEvents = async (client, events) => {
  if (events.length === 0) return [];
  const { rows } = await client.query<{ event_id: string }>({
    name: 'insert-events',
    text: INSERT_EVENTS,
    values: columnsOf(events, [
      (event) => event.eventId,
      (event) => event.siteId,
      (event) => event.sessionKey,
      (event) => event.requestKey,
      (event) => event.occurredAt,
      (event) => event.receivedAt,
      (event) => event.position,
      (event) => event.isBot,
      (event) => event.eventType,
      (event) => event.device,
    ]),
  });
  const fresh = new Set(rows.map((row) => row.event_id));
  return events.filter(({ eventId }) => fresh.has(eventId));
};

const INSERT_PURCHASES = `
  insert into purchases (event_id, site_id, occurred_at, currency, order_id, amount, is_from_server)
  select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::numeric[],
    $7::boolean[])
  on conflict do nothing`;

export async function insertPurchases(
  client: ClientBase,
  purchases: readonly PricedPurchase[],
): Promise<void> {
  if (purchases.length === 0) return;
  const values = columnsOf(purchases, [
    ({ event }) => event.eventId,
    ({ event }) => event.siteId,
    ({ event }) => event.occurredAt,
    ({ currency }) => currency,
    ({ orderId }) => orderId,
    ({ amount }) => String(amount),
    ({ event }) => event.trust === 'server',
  ]);
  await client.query({ name: 'insert-purchases', text: INSERT_PURCHASES, values });
}

const INSERT_ENTRIES = `
  insert into ledger_entries (record_id, site_id, occurred_at, currency, order_id, event_type, revenue_delta)
  select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::numeric[])
  on conflict do nothing`;

export async function insertEntries(client: ClientBase, entries: readonly LedgerEntryFact[]): Promise<void> {
  if (entries.length === 0) return;
  const values = columnsOf(entries, [
    (entry) => entry.recordId,
    (entry) => entry.siteId,
    (entry) => entry.occurredAt,
    (entry) => entry.currency,
    (entry) => entry.orderId,
    (entry) => entry.eventType,
    (entry) => String(entry.revenueDelta),
  ]);
  await client.query({ name: 'insert-entries', text: INSERT_ENTRIES, values });
}

const INSERT_TOUCHES = `
  insert into touches (touch_key, site_id, session_key, provider, partner_id, occurred_at)
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
  on conflict do nothing`;

export async function insertTouches(client: ClientBase, touches: readonly TouchFact[]): Promise<void> {
  if (touches.length === 0) return;
  const values = columnsOf(touches, [
    (touch) => touch.touchKey,
    (touch) => touch.siteId,
    (touch) => touch.sessionKey,
    (touch) => touch.provider,
    (touch) => touch.partnerId,
    (touch) => touch.occurredAt,
  ]);
  await client.query({ name: 'insert-touches', text: INSERT_TOUCHES, values });
}

type Cell = boolean | string | null;

/** One array literal per column. */
function columnsOf<Row>(rows: readonly Row[], columns: readonly ((row: Row) => Cell)[]): string[] {
  return columns.map((cell) => arrayLiteral(rows.map(cell)));
}
