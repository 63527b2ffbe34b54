import type { ClientBase } from 'pg';
import { ACCOUNT_FIELDS, EMPTY_SUMS, HOUR_FIELDS, SUM_FIELDS, type Sums } from '../domain/account.js';
import { foldSession } from '../domain/fold-session.js';
import { dayOf, SumChanges } from '../domain/sum-changes.js';
import { readSessions } from '../storage/session-reads.js';
import {
  countUnfolded,
  type Named,
  readAccountsAfter,
  readExperimentIds,
  readStoredSums,
  type StoredAccount,
} from '../storage/verification-reads.js';

export interface Verdict {
  readonly experiments: number;
  readonly sessions: number;
  /** Assignments whose facts are not folded yet: lag, not an error. */
  readonly unfolded: number;
  /** The first difference; null when all agree. */
  readonly fault: string | null;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Recomputes every session from its stored facts, and every sum from the sessions, and reports the first
 * difference. Run it inside one repeatable-read transaction, which excludes concurrent folding.
 */
export async function verifyResults(client: ClientBase): Promise<Verdict> {
  let sessions = 0;
  const experiments = await readExperimentIds(client);
  for (const [index, experimentId] of experiments.entries()) {
    const verdict = await verifyExperiment(client, experimentId);
    sessions += verdict.sessions;
    if (verdict.fault !== null) {
      const fault = `experiment ${experimentId}: ${verdict.fault}`;
      return { experiments: index + 1, sessions, unfolded: 0, fault };
    }
  }
  const unfolded = await countUnfolded(client);
  return { experiments: experiments.length, sessions, unfolded, fault: null };
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
    const stored = await readAccountsAfter(client, experimentId, after);
    const last = stored.at(-1);
    if (last === undefined) break;
    after = last.assignmentId;
    sessions += stored.length;
    const fault = await checkSessions(client, stored, wanted);
    if (fault !== null) return { sessions, fault };
  }
  return { sessions, fault: await checkSums(client, experimentId, wanted) };
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
  const stored = await readStoredSums(client, experimentId);
  return (
    firstDifference(
      'arm',
      new Map([...wanted.arms.values()].map(({ variant, total }) => [variant, total.sums])),
      stored.arms,
    ) ??
    firstDifference(
      'hour',
      new Map(
        [...wanted.hours.values()].map(({ variant, hourMs, total }) => [`${variant} ${hourMs}`, total.sums]),
      ),
      stored.hours,
      HOUR_FIELDS,
    ) ??
    firstOther(
      'part of the sample',
      [...wanted.parts.values()].map((part) => [
        `${part.dimension} ${part.value}`,
        `${part.control}/${part.treatment}`,
      ]),
      stored.parts,
    ) ??
    firstOther(
      'currency',
      [...wanted.currencies.values()].map(({ currency, orders }) => [currency, String(orders)]),
      stored.currencies,
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

/** The same for text values; missing and zero are equal. */
function firstOther(kind: string, wanted: Named, stored: Named): string | null {
  const [should, is] = [new Map(wanted), new Map(stored)];
  for (const name of new Set([...should.keys(), ...is.keys()])) {
    const [one, other] = [should.get(name) ?? '0', is.get(name) ?? '0'];
    if (one !== other) return `${kind} ${name} has ${other} instead of ${one}`;
  }
  return null;
}
