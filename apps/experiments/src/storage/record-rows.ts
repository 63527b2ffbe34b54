import type { ClientBase } from 'pg';
import type { OrderRecord } from '../domain/order-account.js';
import type { NamedRecord } from '../fold-facts/read-facts.js';

/** Records of orders, by the assignment that they name. */
export type RecordsByAssignment = ReadonlyMap<string, readonly OrderRecord[]>;

export interface RecordRow {
  readonly assignment_id: string;
  readonly record_id: string;
  readonly conversion_id: string;
  readonly order_sequence: number;
  readonly event_type: OrderRecord['eventType'];
  readonly currency: string;
  readonly purchased_at: string;
  readonly recorded_at: Date;
  readonly revenue_delta: string;
  readonly margin_delta: string | null;
  readonly commission_delta: string;
  readonly has_exact_margin: boolean;
  readonly rule: OrderRecord['rule'];
}

const COLUMNS = `assignment_id, record_id, site_id, conversion_id, order_sequence, event_type, currency,
  purchase_occurred_at, recorded_at, revenue_delta, margin_delta, commission_delta, has_exact_margin, rule`;
const GIVEN = `unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::text[], $7::text[],
  $8::timestamptz[], $9::timestamptz[], $10::numeric[], $11::numeric[], $12::numeric[], $13::boolean[], $14::text[])
  as given (${COLUMNS})`;

/** The columns of `RecordRow`. */
export const RECORD_TEXTS = `assignment_id, record_id, conversion_id, order_sequence, event_type, currency,
  (extract(epoch from purchase_occurred_at) * 1000000)::bigint::text as purchased_at, recorded_at,
  revenue_delta::text, margin_delta::text, commission_delta::text, has_exact_margin, rule`;

/** A session takes records when it is known, is of their site, and none of its records wait. */
const IS_TAKEN = `exists (
  select from session_results s where s.assignment_id = given.assignment_id and s.site_id = given.site_id
  and not exists (
    select from sessions_to_fold f where f.site_id = given.site_id and f.assignment_id = given.assignment_id))`;
const INSERT_RECORDS = `
  with given as materialized (select ${COLUMNS} from ${GIVEN}),
  waiting as (
    insert into pending_records select ${COLUMNS} from given where not ${IS_TAKEN} on conflict do nothing
  )
  insert into session_records select ${COLUMNS} from given where ${IS_TAKEN}
  on conflict do nothing returning ${RECORD_TEXTS}`;

/** Stores records: of known sessions at once, others until their session is known. @returns new ones of sessions */
export async function insertRecords(
  client: ClientBase,
  records: readonly NamedRecord[],
): Promise<readonly RecordRow[]> {
  if (records.length === 0) return [];
  const { rows } = await client.query<RecordRow>({
    name: 'insert-session-records',
    text: INSERT_RECORDS,
    values: valuesOf(records),
  });
  return rows;
}

/** Stores records for later, when `takePending` moves them to their sessions. */
export async function insertPending(client: ClientBase, records: readonly NamedRecord[]): Promise<void> {
  if (records.length === 0) return;
  await client.query({
    name: 'insert-pending-records',
    text: `insert into pending_records select ${COLUMNS} from ${GIVEN} on conflict do nothing`,
    values: valuesOf(records),
  });
}

/** In the order of their sequence, which continues each order. Records of other sites stay. */
export const TAKE_PENDING = `
  with moved as (
    delete from pending_records where ctid = any(array(
      select p.ctid from unnest($1::uuid[]) as asked (id)
      cross join lateral (
        select * from session_results s where s.assignment_id = asked.id and s.site_id = any($2::uuid[]) limit 1
      ) s
      cross join lateral (
        select p.ctid from pending_records p where p.assignment_id = asked.id and p.site_id = s.site_id
        order by p.conversion_id, p.order_sequence, p.record_id limit $3
      ) p
      limit $3
    ))
    returning *
  )
  insert into session_records select ${COLUMNS} from moved on conflict do nothing returning ${RECORD_TEXTS}`;

/** Moves waiting records to these sessions of locked sites. @returns the new ones */
export async function takePending(
  client: ClientBase,
  { assignmentIds, siteIds, atMost }: Taking,
): Promise<readonly RecordRow[]> {
  if (assignmentIds.length === 0) return [];
  const { rows } = await client.query<RecordRow>({
    name: 'take-pending-records',
    text: TAKE_PENDING,
    values: [assignmentIds, siteIds, atMost],
  });
  return rows;
}

export interface Taking {
  readonly assignmentIds: readonly string[];
  readonly siteIds: readonly string[];
  readonly atMost: number;
}

export function byAssignment(rows: readonly RecordRow[]): RecordsByAssignment {
  const records = new Map<string, OrderRecord[]>();
  for (const row of rows) {
    const known = records.get(row.assignment_id);
    if (known === undefined) records.set(row.assignment_id, [toRecord(row)]);
    else known.push(toRecord(row));
  }
  return records;
}

export function toRecord(row: RecordRow): OrderRecord {
  return {
    recordId: row.record_id,
    conversionId: row.conversion_id,
    orderSequence: row.order_sequence,
    eventType: row.event_type,
    currency: row.currency,
    purchasedAt: BigInt(row.purchased_at),
    recordedAtMs: row.recorded_at.getTime(),
    revenueDelta: BigInt(row.revenue_delta),
    marginDelta: row.margin_delta === null ? null : BigInt(row.margin_delta),
    commissionDelta: BigInt(row.commission_delta),
    hasExactMargin: row.has_exact_margin,
    rule: row.rule,
  };
}

function valuesOf(records: readonly NamedRecord[]): unknown[] {
  return [
    records.map((record) => record.assignmentId),
    records.map((record) => record.recordId),
    records.map((record) => record.siteId),
    records.map((record) => record.conversionId),
    records.map((record) => record.orderSequence),
    records.map((record) => record.eventType),
    records.map((record) => record.currency),
    records.map((record) => record.purchaseOccurredAt),
    records.map((record) => record.recordedAt),
    records.map((record) => String(record.revenueDelta)),
    records.map((record) => (record.marginDelta === null ? null : String(record.marginDelta))),
    records.map((record) => String(record.commissionDelta)),
    records.map((record) => record.hasExactMargin),
    records.map((record) => record.rule),
  ];
}
