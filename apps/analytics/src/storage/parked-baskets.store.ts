import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { BinaryRows, copyIn, inTransaction } from '@truetally/persistence';
import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import type { ClientBase, Pool, QueryResultRow } from 'pg';
import { changeBasket, entryOfText, entryText } from '../domain/basket.js';
import { addProducts, type ChangedBasket, gainsOf, lockOfProducts } from './product-writes.js';

/** What baskets gain in a fold, at most: the reports of all sites wait for it. */
const GAINS_PER_FOLD = 5_000;
/** Products, and pairs of them, that are in memory at a time, and added in one transaction. */
const GAINS_PER_PIECE = 20_000;
const BASKETS_PER_PIECE = 2_000;
const EVERY_MS = 3_000;
/** A piece is followed by a rest as long as it took: who has many takes half of a processor at most. */
const LONGEST_REST_MS = 1_000;
const FIRST_OF_ALL = '00000000-0000-0000-0000-000000000000';

const LOCK_ONE = `select pg_advisory_xact_lock${lockOfProducts('$1::text')}`;
const PARK = `
  copy parked_baskets (workspace_id, site_id, day, before, added, sessions, gains) from stdin with (format binary)`;
/** As of a fold: an erasure of the site waits for this transaction. */
const OPEN = `select set_config('enable_seqscan', 'off', true), erasures_seen()`;
/** The next workspace in turn, and one of its sites, whichever comes after a random place: a turn is not for each site. */
const NEXT = `
  with turn as materialized (
    (select workspace_id from parked_baskets where workspace_id > $1 order by workspace_id limit 1)
    union all (select workspace_id from parked_baskets order by workspace_id limit 1) limit 1)
  select workspace_id as "workspaceId", site_id as "siteId" from turn cross join lateral (
    (select site_id from parked_baskets p where p.workspace_id = turn.workspace_id and site_id > $2 order by site_id limit 1)
    union all (select site_id from parked_baskets p where p.workspace_id = turn.workspace_id order by site_id limit 1)
    limit 1) site`;
/** The oldest ones of a site, whose products are locked. */
const TAKE = `
  with taken as (
    delete from parked_baskets where site_id = $1 and sequence <= (
      select max(sequence) from (
        select sequence, sum(gains) over (order by sequence) - gains as earlier from (
          select sequence, gains from parked_baskets where site_id = $1 order by sequence limit $2) oldest) sums
      where earlier < $3)
    returning *)
  select day, before, added, sessions from taken
  where not exists (select from erased_sites where site_id = $1) order by sequence`;

interface ParkedBasket {
  readonly day: number;
  readonly before: readonly string[];
  readonly added: readonly string[];
  readonly sessions: number;
}

/** Whose site it is. */
export type WorkspaceOf = (siteId: string) => string;

/**
 * Adds what the baskets of a fold gain, of the workspaces with the least first. What is too much for one fold, and what is of a site whose
 * products somebody else changes, is left in line of its site: sums are the same in whatever order they are added.
 */
export async function addOrPark(
  client: ClientBase,
  changes: readonly ChangedBasket[],
  workspaceOf: WorkspaceOf,
): Promise<void> {
  if (changes.length === 0) return;
  const small = smallWorkspaces(changes, workspaceOf);
  const added = await addProducts(
    client,
    changes.filter(({ siteId }) => small.has(workspaceOf(siteId))),
  );
  const parked = changes.filter(({ siteId }) => !added.has(siteId));
  if (parked.length > 0) await copyIn(client, PARK, rowsOf(parked, workspaceOf));
}

function smallWorkspaces(changes: readonly ChangedBasket[], workspaceOf: WorkspaceOf): ReadonlySet<string> {
  const gains = new Map<string, number>();
  for (const change of changes) {
    const workspaceId = workspaceOf(change.siteId);
    gains.set(workspaceId, (gains.get(workspaceId) ?? 0) + gainsOf(change));
  }
  let sum = 0;
  const ascending = [...gains].sort(([, one], [, other]) => one - other);
  return new Set(
    ascending.filter(([, gained]) => (sum += gained) <= GAINS_PER_FOLD).map(([workspaceId]) => workspaceId),
  );
}

function rowsOf(parked: readonly ChangedBasket[], workspaceOf: WorkspaceOf) {
  const rows = new BinaryRows(7);
  for (const basket of parked) {
    const { siteId, day, before, change, sessions } = basket;
    rows.row().uuid(workspaceOf(siteId)).uuid(siteId).integer(day).textArray(before.map(entryText));
    rows.textArray(change.entries.map(entryText)).integer(sessions).integer(gainsOf(basket));
  }
  return rows.finish();
}

/** Adds what waits in line, a piece of each workspace in turn, while folds go on. */
export function addParkedBaskets(pool: Pool, log: Pick<Logger, 'warn'>): Repetition {
  const failure = 'What baskets in line add to products could not be stored; it is tried again.';
  return repeatedly({ everyMs: EVERY_MS, log, failure }, (stopping) => addAllParked(pool, stopping));
}

/** Until no more wait. */
export async function addAllParked(pool: Pool, stopping: Pick<AbortSignal, 'aborted'>): Promise<void> {
  let last: string | undefined;
  while (!stopping.aborted) {
    const beganMs = performance.now();
    last = await addPiece(pool, last);
    if (last === undefined) return;
    await delay(Math.min(LONGEST_REST_MS, performance.now() - beganMs));
  }
}

/** How long the oldest one has waited, in seconds. @throws Postgres' error */
export async function waitingInLine(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ seconds: number | null }>(
    'select extract(epoch from now() - min(parked_at))::float8 as seconds from parked_baskets',
  );
  return rows[0]?.seconds ?? 0;
}

interface Turn {
  readonly workspaceId: string;
  readonly siteId: string;
}

/** The workspace that has its turn behind another one. */
export async function nextInLine(pool: Pick<Pool, 'query'>, after = FIRST_OF_ALL): Promise<Turn | undefined> {
  const { rows } = await pool.query<Turn & QueryResultRow>(NEXT, [after, randomUUID()]);
  return rows[0];
}

/**
 * Adds the oldest ones of one site.
 * @param after the workspace that had the turn before
 * @returns the workspace, or undefined when none waits
 */
async function addPiece(pool: Pool, after?: string): Promise<string | undefined> {
  // Before a transaction, which would be four round trips where nothing waits.
  const turn = await nextInLine(pool, after);
  if (turn === undefined) return undefined;
  const { workspaceId, siteId } = turn;
  await inTransaction(pool, async (client) => {
    await client.query(OPEN);
    await client.query(LOCK_ONE, [siteId]);
    const { rows } = await client.query<ParkedBasket>(TAKE, [siteId, BASKETS_PER_PIECE, GAINS_PER_PIECE]);
    await addProducts(
      client,
      rows.map((parked) => basketOf(siteId, parked)),
    );
  });
  return workspaceId;
}

/** The entries of a change, told again, make the same change. */
function basketOf(siteId: string, { day, before, added, sessions }: ParkedBasket): ChangedBasket {
  const known = before.map(entryOfText);
  return { siteId, day, before: known, change: changeBasket(day, known, added.map(entryOfText)), sessions };
}
