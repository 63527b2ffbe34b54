import type { Variant } from '@truetally/contracts/experiments';
import type { ClientBase } from 'pg';
import type { AssignedSession } from '../domain/fold-session.js';
import type { OrderRecord } from '../domain/order-account.js';

/** An assigned session with all known records of its orders. */
export interface KnownSession {
  readonly assignmentId: string;
  readonly experimentId: string;
  readonly variant: Variant;
  readonly provider: string;
  readonly device: string;
  readonly session: AssignedSession;
  readonly records: readonly OrderRecord[];
}

interface SessionRow {
  readonly assignment_id: string;
  readonly experiment_id: string;
  readonly variant: Variant;
  readonly provider: string;
  readonly device: string;
  readonly assigned_at: Date;
  readonly currency: string;
  readonly attribution_window_days: number;
}

interface RecordRow {
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

const US_PER_MS = 1_000n;
const US_PER_DAY = 86_400_000_000n;

const READ_SESSIONS = `
  select s.assignment_id, s.experiment_id, s.variant, s.provider, s.device, s.assigned_at, e.currency,
    e.attribution_window_days
  from unnest($1::uuid[]) as asked (id)
  cross join lateral (select * from session_results s where s.assignment_id = asked.id limit 1) s
  cross join lateral (select * from experiments e where e.experiment_id = s.experiment_id limit 1) e`;

/** `offset 0` keeps the planner from reading all records of the site for each session. */
export const READ_RECORDS = `
  select r.assignment_id, r.record_id, r.conversion_id, r.order_sequence, r.event_type, r.currency,
    (extract(epoch from r.purchase_occurred_at) * 1000000)::bigint::text as purchased_at, r.recorded_at,
    r.revenue_delta::text, r.margin_delta::text, r.commission_delta::text, r.has_exact_margin, r.rule
  from unnest($1::uuid[]) as asked (id)
  cross join lateral (select site_id from session_results s where s.assignment_id = asked.id limit 1) s
  cross join lateral (select * from session_records r where r.assignment_id = asked.id offset 0) r
  where r.site_id = s.site_id`;

/** The assigned ones of these sessions, with their records; orders of other sites do not count. */
export async function readSessions(
  client: Pick<ClientBase, 'query'>,
  assignmentIds: readonly string[],
): Promise<readonly KnownSession[]> {
  const [sessions, records] = await Promise.all([
    client.query<SessionRow>({ name: 'read-sessions', text: READ_SESSIONS, values: [assignmentIds] }),
    client.query<RecordRow>({ name: 'read-session-records', text: READ_RECORDS, values: [assignmentIds] }),
  ]);
  const byAssignment = new Map<string, OrderRecord[]>();
  for (const row of records.rows) {
    const list = byAssignment.get(row.assignment_id) ?? [];
    list.push(toRecord(row));
    byAssignment.set(row.assignment_id, list);
  }
  return sessions.rows.map((row) => toSession(row, byAssignment.get(row.assignment_id) ?? []));
}

function toSession(row: SessionRow, records: readonly OrderRecord[]): KnownSession {
  const assignedAtMs = row.assigned_at.getTime();
  const from = BigInt(assignedAtMs) * US_PER_MS;
  const to = from + BigInt(row.attribution_window_days) * US_PER_DAY;
  return {
    assignmentId: row.assignment_id,
    experimentId: row.experiment_id,
    variant: row.variant,
    provider: row.provider,
    device: row.device,
    session: { assignedAtMs, window: { from, to, currency: row.currency } },
    records,
  };
}

function toRecord(row: RecordRow): OrderRecord {
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
