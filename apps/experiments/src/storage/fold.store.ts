import type { AssignedSessionFact } from '@truetally/contracts/facts';
import { type Closing, ErasedSites, inHotTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import type { FactsToFold } from '../fold-facts/read-facts.js';
import { awaitRounds } from './exclusion-rounds.js';
import { foldNew } from './fold-new.js';
import {
  type Backlog,
  dropFlags,
  failuresOf,
  flagLeft,
  flagSessions,
  forgetSite,
  lockFlags,
  readFlagged,
  readForgotten,
  resetSessions,
} from './pending-sessions.js';
import { byAssignment, insertPending, insertRecords, takePending } from './record-rows.js';
import { insertSessions } from './session-rows.js';

/** Waiting records that one transaction takes. */
const RECORDS_AT_ONCE = 500;
/** Longer transactions than this are not ours: the facts are set aside, or a replica takes them. */
const STATEMENT_TIMEOUT_MS = 8_000;
/** Another replica folds the same site for some tens of milliseconds. */
const LOCK_TIMEOUT_MS = 1_000;

/** Few rows of each group are looked up by id, whatever the tables' sizes were at planning time. */
export const FOLD_OPENING = `
  set local statement_timeout = ${STATEMENT_TIMEOUT_MS};
  set local enable_seqscan = off;
  set local enable_hashjoin = off;
  set local enable_mergejoin = off;
  set local plan_cache_mode = force_generic_plan`;

interface Opened {
  readonly erasures: string;
}

/** Folds facts into sessions, and sessions into the sums of their arms. */
export class FoldStore {
  private readonly erasedSites = new ErasedSites();
  private readonly opening: string;

  /** @param lockTimeoutMs how long a transaction waits for another one of the same site */
  constructor(
    private readonly pool: Pool,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
  ) {
    this.opening = `set local lock_timeout = ${lockTimeoutMs}; ${FOLD_OPENING}; select erasures_seen() as erasures`;
  }

  /** Repeated facts change nothing. @throws Postgres' error; the same facts may be retried */
  fold(facts: FactsToFold): Promise<undefined> {
    return this.transact(async (client, erased) => {
      await foldIn(client, without(erased, facts));
      return undefined;
    });
  }

  /**
   * Stores facts for `foldPending`, without waiting for other transactions of their sites. Only the ids of
   * assignments are stored: the service has them in its own table.
   * @throws Postgres' error; the same facts may be retried
   */
  setAside(facts: FactsToFold): Promise<undefined> {
    return this.transact(async (client, erased) => {
      const { assigned, records } = without(erased, facts);
      const named = [
        ...assigned.map(({ assignment_id, site_id }) => [assignment_id, site_id] as const),
        ...records.map(({ assignmentId, siteId }) => [assignmentId, siteId] as const),
      ];
      await Promise.all([
        lockFlags(
          client,
          named.map(([, siteId]) => siteId),
        ),
        insertPending(client, records),
        flagSessions(client, named),
      ]);
      return undefined;
    });
  }

  /**
   * Folds a piece of what waits for a site, and puts the site last.
   * @returns how many sessions were looked at: none when nothing was left
   * @throws Postgres' error; the site may be postponed, and taken again
   */
  foldPending(siteId: string): Promise<number> {
    return this.transact(async (client, erased) => {
      if (erased.has(siteId)) return forgetSite(client, siteId);
      await lockSites(client, [siteId]);
      const { assignmentIds, missing } = await readFlagged(client, siteId);
      await foldMissing(client, missing);
      // Half as many after each failure, so that a piece that is too much for a slow database gets done all the same.
      const atMost = Math.max(1, RECORDS_AT_ONCE >> (await failuresOf(client, siteId)));
      const rows = await takePending(client, { assignmentIds, siteIds: [siteId], atMost });
      await foldNew(client, { sessions: new Set(), records: byAssignment(rows) });
      await lockFlags(client, [siteId]);
      await dropFlags(client, siteId, assignmentIds);
      return assignmentIds.length;
    });
  }

  /**
   * Flags assignments that were never folded although their fact is late: a lost fact is no reason to leave a
   * session out for ever.
   * @param after the assignment after which to look; null: from the first
   * @returns the place to continue at; null after the last one
   */
  flagForgotten(after: string | null): Promise<string | null> {
    return this.transact(async (client, erased) => {
      const { forgotten, last } = await readForgotten(client, after);
      const named = forgotten.filter(([, siteId]) => !erased.has(siteId));
      await lockFlags(
        client,
        named.map(([, siteId]) => siteId),
      );
      await flagSessions(client, named);
      return last;
    });
  }

  private transact<T>(work: (client: ClientBase, erased: ReadonlySet<string>) => Promise<T>): Promise<T> {
    return inHotTransaction<Opened, T>(
      this.pool,
      this.opening,
      async (client, [opened]): Promise<Closing<T>> => {
        const erased = await this.erasedSites.at(client, opened?.erasures ?? '0');
        return { value: await work(client, erased), closing: '' };
      },
    );
  }
}

function without(erased: ReadonlySet<string>, { assigned, records }: FactsToFold): FactsToFold {
  return {
    assigned: assigned.filter(({ site_id }) => !erased.has(site_id)),
    records: records.filter(({ siteId }) => !erased.has(siteId)),
  };
}

async function foldIn(client: ClientBase, { assigned, records }: FactsToFold): Promise<void> {
  const siteIds = [...assigned.map(({ site_id }) => site_id), ...records.map(({ siteId }) => siteId)];
  if (siteIds.length === 0) return;
  const assignmentIds = assigned.map(({ assignment_id }) => assignment_id);
  // Sent together, they run in this order.
  const [, newSessions, newRecords, waiting] = await Promise.all([
    lockSites(client, siteIds),
    insertSessions(client, assigned),
    insertRecords(client, records),
    takePending(client, { assignmentIds, siteIds, atMost: RECORDS_AT_ONCE }),
    flagLeft(client, assignmentIds),
    awaitRounds(client, [...new Set(assigned.map(({ experiment_id }) => experiment_id))]),
  ]);
  await foldNew(client, {
    sessions: new Set(newSessions),
    records: byAssignment([...newRecords, ...waiting]),
  });
}

/**
 * Assignments whose fact never came, or was set aside. What is left of an earlier fold of them is folded again, so
 * that a session whose row was lost counts with all its records.
 */
async function foldMissing(client: ClientBase, missing: Backlog['missing']): Promise<void> {
  if (missing.length === 0) return;
  await resetSessions(
    client,
    missing.map(({ assignment_id }: AssignedSessionFact) => assignment_id),
  );
  const sessions = new Set(await insertSessions(client, missing));
  await awaitRounds(client, [...new Set(missing.map(({ experiment_id }) => experiment_id))]);
  await foldNew(client, { sessions, records: new Map() });
}

/**
 * One folding transaction per site at a time, over all replicas: a session's contribution is the difference
 * to its former one, also when its assignment and its first order arrive concurrently. Different sites never
 * block one another; locks in the order of ids prevent deadlocks.
 */
export async function lockSites(client: ClientBase, siteIds: readonly string[]): Promise<void> {
  await client.query({
    name: 'lock-folded-sites',
    text: `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' fold ' || site_id, 0))
      from unnest($1::text[]) as site_id`,
    values: [[...new Set(siteIds)].sort()],
  });
}
