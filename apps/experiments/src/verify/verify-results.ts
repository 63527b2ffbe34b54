import type { Variant } from '@truetally/contracts/experiments';
import type { ClientBase } from 'pg';
import {
  ACCOUNT_FIELDS,
  type Account,
  accountOf,
  EMPTY_SUMS,
  HOUR_FIELDS,
  SUM_FIELDS,
  type Sums,
} from '../domain/account.js';
import { foldSession } from '../domain/fold-session.js';
import { dayOf, SumChanges } from '../domain/sum-changes.js';
import {
  ACCOUNT_TEXTS,
  HOUR_TEXTS,
  type HourTexts,
  hourSumsOf,
  SUM_TEXTS,
  type SumTexts,
  sumsOf,
} from '../storage/account-columns.js';
import { readSessions } from '../storage/session-reads.js';

export interface Verdict {
  readonly experiments: number;
  readonly sessions: number;
  /** Assignments whose facts are not folded yet: lag, not an error. */
  readonly unfolded: number;
  /** The first difference; null when all agree. */
  readonly fault: string | null;
}

const SESSIONS_AT_ONCE = 1_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Recomputes every session from its stored facts, and every sum from the sessions, and reports the first
 * difference. Run it inside one repeatable-read transaction, which excludes concurrent folding.
 */
export async function verifyResults(client: ClientBase): Promise<Verdict> {
  let sessions = 0;
  const experiments = await idsOf(client);
  for (const [index, experimentId] of experiments.entries()) {
    const verdict = await verifyExperiment(client, experimentId);
    sessions += verdict.sessions;
    if (verdict.fault !== null) {
      const fault = `experiment ${experimentId}: ${verdict.fault}`;
      return { experiments: index + 1, sessions, unfolded: 0, fault };
    }
  }
  const { rows } = await client.query<{ unfolded: number }>(
    `select count(*)::float8 as unfolded from assignments a
     where not exists (select from session_results s where s.assignment_id = a.assignment_id)`,
  );
  return { experiments: experiments.length, sessions, unfolded: rows[0]?.unfolded ?? 0, fault: null };
}

async function idsOf(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ experiment_id: string }>(
    'select experiment_id from experiments order by experiment_id',
  );
  return rows.map((row) => row.experiment_id);
}

interface Checked {
  readonly sessions: number;
  readonly fault: string | null;
}

async function verifyExperiment(client: ClientBase, experimentId: string): Promise<Checked> {
  const wanted = new SumChanges();
  let sessions = 0;
  let after = FIRST_ID;
  for (;;) {
    const stored = await accountsAfter(client, experimentId, after);
    const last = stored.at(-1);
    if (last === undefined) break;
    after = last.assignmentId;
    sessions += stored.length;
    const fault = await checkSessions(client, stored, wanted);
    if (fault !== null) return { sessions, fault };
  }
  return { sessions, fault: await checkSums(client, experimentId, wanted) };
}

interface StoredAccount {
  readonly assignmentId: string;
  readonly account: Account;
}

async function accountsAfter(
  client: ClientBase,
  experimentId: string,
  after: string,
): Promise<readonly StoredAccount[]> {
  const { rows } = await client.query<{ assignment_id: string } & Record<keyof Account, string>>(
    `select assignment_id, ${ACCOUNT_TEXTS} from session_results
     where experiment_id = $1 and assignment_id > $2 order by assignment_id limit ${SESSIONS_AT_ONCE}`,
    [experimentId, after],
  );
  return rows.map((row) => ({
    assignmentId: row.assignment_id,
    account: accountOf((field) => BigInt(row[field])),
  }));
}

async function checkSessions(
  client: ClientBase,
  stored: readonly StoredAccount[],
  wanted: SumChanges,
): Promise<string | null> {
  const known = await readSessions(
    client,
    stored.map(({ assignmentId }) => assignmentId),
  );
  const accounts = new Map(stored.map(({ assignmentId, account }) => [assignmentId, account]));
  for (const session of known) {
    const folded = foldSession(session.session, session.records);
    const account = accounts.get(session.assignmentId);
    const field = ACCOUNT_FIELDS.find((name) => account?.[name] !== folded.account[name]);
    if (field !== undefined) {
      return `session ${session.assignmentId} has ${field} ${String(account?.[field])} instead of ${folded.account[field]}`;
    }
    wanted.add(session, undefined, folded);
    wanted.addSession(session, [
      { dimension: 'day', value: dayOf(session.session.assignedAtMs) },
      { dimension: 'provider', value: session.provider },
      { dimension: 'device', value: session.device },
    ]);
  }
  return null;
}

async function checkSums(
  client: ClientBase,
  experimentId: string,
  wanted: SumChanges,
): Promise<string | null> {
  const arms = await client.query<SumTexts & { readonly variant: Variant }>(
    `select variant, ${SUM_TEXTS} from arm_sums where experiment_id = $1`,
    [experimentId],
  );
  const hours = await client.query<HourTexts & { readonly variant: Variant; readonly hour: Date }>(
    `select variant, hour, ${HOUR_TEXTS} from hour_sums where experiment_id = $1`,
    [experimentId],
  );
  const parts = await client.query<{ dimension: string; value: string; control: string; treatment: string }>(
    `select dimension, value, control::text, treatment::text from sample_parts where experiment_id = $1`,
    [experimentId],
  );
  const currencies = await client.query<{ currency: string; orders: string }>(
    `select currency, orders::text from other_currency_orders where experiment_id = $1`,
    [experimentId],
  );
  return (
    firstDifference(
      'arm',
      new Map([...wanted.arms.values()].map(({ variant, total }) => [variant, total.sums])),
      new Map(arms.rows.map((row) => [row.variant, sumsOf(row)])),
    ) ??
    firstDifference(
      'hour',
      new Map(
        [...wanted.hours.values()].map(({ variant, hourMs, total }) => [`${variant} ${hourMs}`, total.sums]),
      ),
      new Map(hours.rows.map((row) => [`${row.variant} ${row.hour.getTime()}`, hourSumsOf(row)])),
      HOUR_FIELDS,
    ) ??
    firstOther(
      'part of the sample',
      [...wanted.parts.values()].map((part) => [
        `${part.dimension} ${part.value}`,
        `${part.control}/${part.treatment}`,
      ]),
      parts.rows.map((row) => [`${row.dimension} ${row.value}`, `${row.control}/${row.treatment}`]),
    ) ??
    firstOther(
      'currency',
      [...wanted.currencies.values()].map(({ currency, orders }) => [currency, String(orders)]),
      currencies.rows.map(({ currency, orders }) => [currency, orders]),
    )
  );
}

function firstDifference(
  kind: string,
  wanted: ReadonlyMap<string, Sums>,
  stored: ReadonlyMap<string, Sums>,
  fields: readonly (keyof Sums)[] = SUM_FIELDS,
): string | null {
  for (const name of new Set([...wanted.keys(), ...stored.keys()])) {
    const [should, is] = [wanted.get(name) ?? EMPTY_SUMS, stored.get(name) ?? EMPTY_SUMS];
    const field = fields.find((one) => should[one] !== is[one]);
    if (field !== undefined) return `${kind} ${name} has ${field} ${is[field]} instead of ${should[field]}`;
  }
  return null;
}

type Named = readonly (readonly [name: string, value: string])[];

/** The same for text values; missing and zero are equal. */
function firstOther(kind: string, wanted: Named, stored: Named): string | null {
  const [should, is] = [new Map(wanted), new Map(stored)];
  for (const name of new Set([...should.keys(), ...is.keys()])) {
    const [one, other] = [should.get(name) ?? '0', is.get(name) ?? '0'];
    if (one !== other) return `${kind} ${name} has ${other} instead of ${one}`;
  }
  return null;
}
