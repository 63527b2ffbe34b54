import type { Variant } from '@truetally/contracts/experiments';
import type { ClientBase } from 'pg';
import { type Account, accountOf } from '../domain/account.js';
import type { AssignedSession } from '../domain/fold-session.js';
import type { OrderRecord } from '../domain/order-account.js';
import { ACCOUNT_TEXTS } from './account-columns.js';
import {
  byAssignment,
  RECORD_TEXTS,
  type RecordRow,
  type RecordsByAssignment,
  toRecord,
} from './record-rows.js';

/** An assigned session, and what its records came to. */
export interface KnownSession {
  readonly assignmentId: string;
  readonly experimentId: string;
  readonly siteId: string;
  readonly variant: Variant;
  readonly provider: string;
  readonly device: string;
  /** By its experiment's rule: it adds nothing to the sums. */
  readonly isExcluded: boolean;
  readonly session: AssignedSession;
  readonly account: Account;
}

type AccountTexts = Readonly<Record<keyof Account, string>>;

interface SessionRow extends AccountTexts {
  readonly assignment_id: string;
  readonly experiment_id: string;
  readonly site_id: string;
  readonly variant: Variant;
  readonly provider: string;
  readonly device: string;
  readonly assigned_at: Date;
  readonly experiment_currency: string;
  readonly attribution_window_days: number;
  readonly is_excluded: boolean;
}

const US_PER_MS = 1_000n;
const US_PER_DAY = 86_400_000_000n;

const READ_SESSIONS = `
  select s.assignment_id, s.experiment_id, s.site_id, s.variant, s.provider, s.device, s.assigned_at,
    e.currency as experiment_currency, e.attribution_window_days,
    exists (select from excluded_sessions x where x.assignment_id = s.assignment_id) as is_excluded, ${ACCOUNT_TEXTS}
  from unnest($1::uuid[]) as asked (id)
  cross join lateral (select * from session_results s where s.assignment_id = asked.id limit 1) s
  cross join lateral (
    select currency, attribution_window_days from experiments e where e.experiment_id = s.experiment_id limit 1
  ) e`;

/** The assigned ones of these sessions. */
export async function readSessions(
  client: Pick<ClientBase, 'query'>,
  assignmentIds: readonly string[],
): Promise<readonly KnownSession[]> {
  const { rows } = await client.query<SessionRow>({
    name: 'read-sessions',
    text: READ_SESSIONS,
    values: [assignmentIds],
  });
  return rows.map(toSession);
}

/** `offset 0` keeps the planner from reading all records of the site for each session. */
const READ_RECORDS = `
  select r.* from unnest($1::uuid[]) as asked (id)
  cross join lateral (
    select ${RECORD_TEXTS} from session_records r where r.assignment_id = asked.id offset 0
  ) r`;

/** All records of these sessions: for a verification, because they may be very many. */
export async function readRecords(
  client: Pick<ClientBase, 'query'>,
  assignmentIds: readonly string[],
): Promise<RecordsByAssignment> {
  const { rows } = await client.query<RecordRow>({
    name: 'read-records',
    text: READ_RECORDS,
    values: [assignmentIds],
  });
  return byAssignment(rows);
}

/** The records of one order. */
export async function readOrderRecords(
  client: Pick<ClientBase, 'query'>,
  assignmentId: string,
  conversionId: string,
): Promise<readonly OrderRecord[]> {
  const { rows } = await client.query<RecordRow>({
    name: 'read-order-records',
    text: `select ${RECORD_TEXTS} from session_records where assignment_id = $1 and conversion_id = $2`,
    values: [assignmentId, conversionId],
  });
  return rows.map(toRecord);
}

interface HourRow extends AccountTexts {
  readonly assignment_id: string;
  readonly hour: Date;
}

export const READ_HOURS = `
  select h.assignment_id, h.hour, ${ACCOUNT_TEXTS}
  from unnest($1::uuid[], $2::timestamptz[]) as asked (id, since)
  cross join lateral (
    select * from session_hours h where h.assignment_id = asked.id and h.hour >= asked.since offset 0
  ) h`;

/** The changes of sessions' totals by hour. @param since by assignment: start of the first hour, milliseconds */
export async function readSessionHours(
  client: Pick<ClientBase, 'query'>,
  since: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, ReadonlyMap<number, Account>>> {
  const found = new Map<string, Map<number, Account>>();
  if (since.size === 0) return found;
  const { rows } = await client.query<HourRow>({
    name: 'read-session-hours',
    text: READ_HOURS,
    values: [[...since.keys()], [...since.values()].map((ms) => new Date(ms).toISOString())],
  });
  for (const row of rows) {
    const hours = found.get(row.assignment_id) ?? new Map<number, Account>();
    found.set(row.assignment_id, hours.set(row.hour.getTime(), toAccount(row)));
  }
  return found;
}

function toSession(row: SessionRow): KnownSession {
  const assignedAtMs = row.assigned_at.getTime();
  const from = BigInt(assignedAtMs) * US_PER_MS;
  const to = from + BigInt(row.attribution_window_days) * US_PER_DAY;
  return {
    assignmentId: row.assignment_id,
    experimentId: row.experiment_id,
    siteId: row.site_id,
    variant: row.variant,
    provider: row.provider,
    device: row.device,
    isExcluded: row.is_excluded,
    session: { assignedAtMs, window: { from, to, currency: row.experiment_currency } },
    account: toAccount(row),
  };
}

function toAccount(row: AccountTexts): Account {
  return accountOf((field) => BigInt(row[field]));
}
