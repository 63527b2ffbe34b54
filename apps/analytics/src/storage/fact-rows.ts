import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { LedgerEntryFact, ObservedPurchase, TouchFact } from '../domain/facts.js';

/** A purchase whose currency is known. */
export interface PricedPurchase extends Omit<ObservedPurchase, 'amount'> {
  readonly currency: string;
  /** Minor units. */
  readonly amount: bigint;
}

const INSERT_PURCHASES = `
  insert into purchases (event_id, received_at, site_id, occurred_at, currency, order_id, amount, is_from_server)
  select * from unnest($1::uuid[], $2::timestamptz[], $3::uuid[], $4::timestamptz[], $5::text[], $6::text[],
    $7::numeric[], $8::boolean[])
  on conflict do nothing`;

export async function insertPurchases(
  client: ClientBase,
  purchases: readonly PricedPurchase[],
): Promise<void> {
  if (purchases.length === 0) return;
  const values = columnsOf(purchases, [
    ({ eventId }) => eventId,
    ({ receivedAt }) => receivedAt,
    ({ siteId }) => siteId,
    ({ occurredAt }) => occurredAt,
    ({ currency }) => currency,
    ({ orderId }) => orderId,
    ({ amount }) => String(amount),
    ({ isFromServer }) => isFromServer,
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
