import { setTimeout as delay } from 'node:timers/promises';
import { BinaryRows, copyIn, inTransaction } from '@truetally/persistence';
import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import type { ClientBase, Pool } from 'pg';
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
  copy parked_baskets (site_id, day, before, added, sessions, gains) from stdin with (format binary)`;
/** As of a fold: an erasure of the site waits for this transaction. */
const OPEN = `select set_config('enable_seqscan', 'off', true), erasures_seen()`;
/** The next site in turn. */
const NEXT = `
  (select site_id as "siteId" from parked_baskets where site_id > $1 order by site_id limit 1)
  union all (select site_id from parked_baskets order by site_id limit 1) limit 1`;
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

/**
 * Adds what the baskets of a fold gain, of the sites with the least first. What is too much for one fold, and what is of a site whose
 * products somebody else changes, is left in line of its site: sums are the same in whatever order they are added.
 */
export async function addOrPark(client: ClientBase, changes: readonly ChangedBasket[]): Promise<void> {
  if (changes.length === 0) return;
  const small = smallSites(changes);
  const added = await addProducts(
    client,
    changes.filter(({ siteId }) => small.has(siteId)),
  );
  const parked = changes.filter(({ siteId }) => !added.has(siteId));
  if (parked.length > 0) await copyIn(client, PARK, rowsOf(parked));
}

function smallSites(changes: readonly ChangedBasket[]): ReadonlySet<string> {
  const gains = new Map<string, number>();
  for (const change of changes) {
    gains.set(change.siteId, (gains.get(change.siteId) ?? 0) + gainsOf(change));
  }
  let sum = 0;
  const ascending = [...gains].sort(([, one], [, other]) => one - other);
  return new Set(
    ascending.filter(([, ofSite]) => (sum += ofSite) <= GAINS_PER_FOLD).map(([siteId]) => siteId),
  );
}

function rowsOf(parked: readonly ChangedBasket[]) {
  const rows = new BinaryRows(6);
  for (const basket of parked) {
    const { siteId, day, before, change, sessions } = basket;
    rows.row().uuid(siteId).integer(day).textArray(before.map(entryText));
    rows.textArray(change.entries.map(entryText)).integer(sessions).integer(gainsOf(basket));
  }
  return rows.finish();
}

/** Adds what waits in line, a piece of each site in turn, while folds go on. */
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

/**
 * Adds the oldest ones of one site.
 * @param after the site that had the turn before
 * @returns the site, or undefined when none waits
 */
async function addPiece(pool: Pool, after = FIRST_OF_ALL): Promise<string | undefined> {
  // Before a transaction, which would be four round trips where nothing waits.
  const next = await pool.query<{ siteId: string }>(NEXT, [after]);
  const siteId = next.rows[0]?.siteId;
  if (siteId === undefined) return undefined;
  await inTransaction(pool, async (client) => {
    await client.query(OPEN);
    await client.query(LOCK_ONE, [siteId]);
    const { rows } = await client.query<ParkedBasket>(TAKE, [siteId, BASKETS_PER_PIECE, GAINS_PER_PIECE]);
    await addProducts(
      client,
      rows.map((parked) => basketOf(siteId, parked)),
    );
  });
  return siteId;
}

/** The entries of a change, told again, make the same change. */
function basketOf(siteId: string, { day, before, added, sessions }: ParkedBasket): ChangedBasket {
  const known = before.map(entryOfText);
  return { siteId, day, before: known, change: changeBasket(day, known, added.map(entryOfText)), sessions };
}
