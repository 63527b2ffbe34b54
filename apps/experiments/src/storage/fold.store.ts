import type { AssignedSessionFact } from '@truetally/contracts/facts';
import { type Closing, ErasedSites, inHotTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { type Account, ACCOUNT_FIELDS, EMPTY_ACCOUNT, isSameAccount } from '../domain/account.js';
import { type FoldedSession, foldSession } from '../domain/fold-session.js';
import { dayOf, SumChanges } from '../domain/sum-changes.js';
import type { FactsToFold, NamedRecord } from '../fold-facts/read-facts.js';
import { columnsOf, numericParameters } from './account-columns.js';
import { type KnownSession, readSessions } from './session-reads.js';
import { addToSums } from './sum-rows.js';

/** Few rows of each group are looked up by id, whatever the tables' sizes were at planning time. */
export const FOLD_OPENING = `
  set local enable_seqscan = off;
  set local enable_hashjoin = off;
  set local enable_mergejoin = off;
  set local plan_cache_mode = force_generic_plan;
  select erasures_seen() as erasures`;

interface Opened {
  readonly erasures: string;
}

/** Folds facts into sessions, and sessions into the sums of their arms. */
export class FoldStore {
  private readonly erasedSites = new ErasedSites();

  constructor(private readonly pool: Pool) {}

  /** Repeated facts change nothing. @throws Postgres' error; the same facts may be retried */
  fold({ assigned, records }: FactsToFold): Promise<undefined> {
    return inHotTransaction<Opened, undefined>(this.pool, FOLD_OPENING, async (client, [opened]) => {
      const erased = await this.erasedSites.at(client, opened?.erasures ?? '0');
      return foldIn(client, {
        assigned: assigned.filter(({ site_id }) => !erased.has(site_id)),
        records: records.filter(({ siteId }) => !erased.has(siteId)),
      });
    });
  }
}

const NOTHING: Closing<undefined> = { value: undefined, closing: '' };

async function foldIn(client: ClientBase, { assigned, records }: FactsToFold): Promise<Closing<undefined>> {
  const siteIds = [...assigned.map(({ site_id }) => site_id), ...records.map(({ siteId }) => siteId)];
  // Sent together, they run in this order.
  const [, newSessions, newRecords] = await Promise.all([
    lockSites(client, siteIds),
    insertSessions(client, assigned),
    insertRecords(client, records),
  ]);
  const changed = new Set([...newSessions, ...newRecords.keys()]);
  if (changed.size === 0) return NOTHING;
  const sessions = await readSessions(client, [...changed]);
  const changes = new SumChanges();
  const accounts = new Map<string, Account>();
  for (const known of sessions) {
    const isNew = newSessions.has(known.assignmentId);
    const before = isNew ? undefined : foldedBefore(known, newRecords.get(known.assignmentId));
    const now = foldSession(known.session, known.records);
    changes.add(known, before, now);
    if (isNew) changes.addSession(known, partsOf(known));
    const stored = before?.account ?? EMPTY_ACCOUNT;
    if (!isSameAccount(stored, now.account)) accounts.set(known.assignmentId, now.account);
  }
  await Promise.all([storeAccounts(client, accounts), addToSums(client, changes)]);
  return NOTHING;
}

/**
 * One folding transaction per site at a time, over all replicas: a session's contribution is the difference
 * to its former one, also when its assignment and its first order arrive concurrently. Different sites never
 * block one another; locks in the order of ids prevent deadlocks.
 */
async function lockSites(client: ClientBase, siteIds: readonly string[]): Promise<void> {
  await client.query({
    name: 'lock-folded-sites',
    text: `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' fold ' || site_id, 0))
      from unnest($1::text[]) as site_id`,
    values: [[...new Set(siteIds)].sort()],
  });
}

/** The session's former contribution: folded without its new records. */
function foldedBefore(
  { session, records }: KnownSession,
  added: ReadonlySet<string> | undefined,
): FoldedSession {
  return foldSession(
    session,
    records.filter(({ recordId }) => added?.has(recordId) !== true),
  );
}

function partsOf({ session, provider, device }: KnownSession) {
  return [
    { dimension: 'day', value: dayOf(session.assignedAtMs) },
    { dimension: 'provider', value: provider },
    { dimension: 'device', value: device },
  ] as const;
}

/** @returns the assignments of new sessions */
async function insertSessions(
  client: ClientBase,
  assigned: readonly AssignedSessionFact[],
): Promise<ReadonlySet<string>> {
  if (assigned.length === 0) return new Set();
  const { rows } = await client.query<{ assignment_id: string }>({
    name: 'insert-sessions',
    text: `insert into session_results (assignment_id, experiment_id, site_id, variant, provider, device, assigned_at)
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
      on conflict (assignment_id) do nothing returning assignment_id`,
    values: [
      assigned.map((fact) => fact.assignment_id),
      assigned.map((fact) => fact.experiment_id),
      assigned.map((fact) => fact.site_id),
      assigned.map((fact) => fact.variant),
      assigned.map((fact) => fact.provider),
      assigned.map((fact) => fact.device),
      assigned.map((fact) => fact.assigned_at),
    ],
  });
  return new Set(rows.map((row) => row.assignment_id));
}

/** @returns the new records, by assignment */
async function insertRecords(
  client: ClientBase,
  records: readonly NamedRecord[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const added = new Map<string, Set<string>>();
  if (records.length === 0) return added;
  const { rows } = await client.query<{ assignment_id: string; record_id: string }>({
    name: 'insert-session-records',
    text: `insert into session_records (assignment_id, record_id, site_id, conversion_id, order_sequence, event_type,
        currency, purchase_occurred_at, recorded_at, revenue_delta, margin_delta, commission_delta, has_exact_margin,
        rule)
      select * from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::integer[], $6::text[], $7::text[],
        $8::timestamptz[], $9::timestamptz[], $10::numeric[], $11::numeric[], $12::numeric[], $13::boolean[],
        $14::text[])
      on conflict (assignment_id, record_id) do nothing returning assignment_id, record_id`,
    values: [
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
    ],
  });
  for (const { assignment_id, record_id } of rows) {
    const known = added.get(assignment_id) ?? new Set();
    added.set(assignment_id, known.add(record_id));
  }
  return added;
}

const SET_ACCOUNT = ACCOUNT_FIELDS.map((field) => `${field} = given.${field}`).join(', ');
const STORE_ACCOUNTS = `
  update session_results s set ${SET_ACCOUNT}
  from unnest($1::uuid[], ${numericParameters(ACCOUNT_FIELDS, 2)}) as given (assignment_id, ${ACCOUNT_FIELDS.join(', ')})
  where s.assignment_id = given.assignment_id`;

/** A session without orders keeps its inserted row. */
async function storeAccounts(client: ClientBase, accounts: ReadonlyMap<string, Account>): Promise<void> {
  if (accounts.size === 0) return;
  await client.query({
    name: 'store-accounts',
    text: STORE_ACCOUNTS,
    values: [[...accounts.keys()], ...columnsOf(ACCOUNT_FIELDS, [...accounts.values()])],
  });
}
