import { type Closing, ErasedSites, inHotTransaction } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import { EMPTY_SUMS, subtractSums } from '../domain/account.js';
import { contributionOf } from '../domain/fold-session.js';
import { otherCurrencyOf } from '../domain/order-state.js';
import { SumChanges } from '../domain/sum-changes.js';
import type { Round } from './exclusion-rounds.js';
import { FOLD_OPENING, lockSites } from './fold.store.js';
import { partsOf } from './fold-new.js';
import { readOrdersOf } from './order-states.js';
import { type KnownSession, readSessionHours, readSessions } from './session-reads.js';
import { addToSums } from './sum-rows.js';

/** Assignments that one transaction looks at. */
const LOOKED_AT = 1_000;
/** Sessions that one transaction excludes or readmits; half as many after each failure, because one may have very many orders. */
const CHANGED = 50;
/** An assignment that began before a round may be committed after it has looked. */
const SLACK = `interval '1 minute'`;

/** Applies the rules by which experiments exclude sessions, in the transaction that takes them from the sums. */
export class ExclusionStore {
  private readonly erasedSites = new ErasedSites();

  constructor(private readonly pool: Pool) {}

  /**
   * Looks at the next piece of an experiment's assignments, network by network, and puts the experiment last.
   * @throws Postgres' error; the experiment may be postponed, and taken again
   */
  takePiece({ experimentId, siteId }: Round): Promise<undefined> {
    const opening = `${FOLD_OPENING}; set local lock_timeout = 1000; select erasures_seen() as erasures`;
    return inHotTransaction<{ readonly erasures: string }, undefined>(
      this.pool,
      opening,
      async (client, [opened]): Promise<Closing<undefined>> => {
        const erased = await this.erasedSites.at(client, opened?.erasures ?? '0');
        if (!erased.has(siteId)) await lookOn(client, { experimentId, siteId });
        else await client.query('delete from exclusion_rounds where experiment_id = $1', [experimentId]);
        return { value: undefined, closing: '' };
      },
    );
  }
}

async function lookOn(client: ClientBase, { experimentId, siteId }: Round): Promise<void> {
  await lockSites(client, [siteId]);
  const place = await placeOf(client, experimentId);
  if (place === undefined) return;
  const atMost = Math.max(1, CHANGED >> place.attempts);
  if (place.most === null) {
    const readmitted = await readExcluded(client, experimentId, atMost);
    await change(client, { experimentId, siteId }, { excluded: [], readmitted });
    if (readmitted.length === atMost) return stepOn(client, experimentId, place);
    await client.query('delete from exclusion_rounds where experiment_id = $1', [experimentId]);
    return;
  }
  const page = await readPlaced(client, experimentId, place);
  const crowded = await crowdedAmong(client, experimentId, page, place.most);
  const excluded: string[] = [];
  const readmitted: string[] = [];
  let last = place;
  for (const { network, assignmentId, isExcluded } of page) {
    const isCrowded = crowded.has(network.toString('hex'));
    if (isCrowded && !isExcluded) excluded.push(assignmentId);
    // A network grows smaller when its sessions are forgotten: those who stay count as before (docs/decisions/erasing-people.md).
    else if (!isCrowded && isExcluded && place.readmits) readmitted.push(assignmentId);
    last = { ...place, afterNetwork: network, afterAssignment: assignmentId };
    if (excluded.length + readmitted.length === atMost) break;
  }
  await change(client, { experimentId, siteId }, { excluded, readmitted });
  const isWhole =
    page.length < LOOKED_AT && last.afterAssignment === (page.at(-1)?.assignmentId ?? last.afterAssignment);
  await stepOn(client, experimentId, isWhole ? 'end' : last);
}

interface Place {
  /** Null: nobody is excluded. */
  readonly most: number | null;
  /** The rule has changed since the last whole round. */
  readonly readmits: boolean;
  readonly attempts: number;
  readonly afterNetwork: Buffer;
  readonly afterAssignment: string;
}

/** Nobody changes the rule until the transaction ends. */
async function placeOf(client: ClientBase, experimentId: string): Promise<Place | undefined> {
  const values = [experimentId];
  const rules = await client.query<{ most: number | null }>({
    name: 'hold-exclusions',
    text: 'select sessions_per_network as most from experiments where experiment_id = $1 for share',
    values,
  });
  // A statement of its own: one that waits for a change of the rule sees the new rule, but the round as it was before.
  const { rows } = await client.query<{
    readmits: boolean;
    attempts: number;
    after_network: Buffer;
    after_assignment: string;
  }>({
    name: 'find-exclusion-round',
    text: 'select readmits, attempts, after_network, after_assignment from exclusion_rounds where experiment_id = $1',
    values,
  });
  const [rule] = rules.rows;
  const [row] = rows;
  return (
    rule &&
    row && {
      most: rule.most,
      readmits: row.readmits,
      attempts: row.attempts,
      afterNetwork: row.after_network,
      afterAssignment: row.after_assignment,
    }
  );
}

interface Placed {
  readonly network: Buffer;
  readonly assignmentId: string;
  readonly isExcluded: boolean;
}

async function readPlaced(
  client: ClientBase,
  experimentId: string,
  after: Place,
): Promise<readonly Placed[]> {
  const { rows } = await client.query<{ network: Buffer; assignment_id: string; is_excluded: boolean }>({
    name: 'read-placed-assignments',
    text: `select a.network, a.assignment_id,
        exists (select from excluded_sessions x where x.assignment_id = a.assignment_id) as is_excluded
      from assignments a
      where a.experiment_id = $1 and a.network is not null and (a.network, a.assignment_id) > ($2, $3)
      order by a.network, a.assignment_id limit ${LOOKED_AT}`,
    values: [experimentId, after.afterNetwork, after.afterAssignment],
  });
  return rows.map((row) => ({
    network: row.network,
    assignmentId: row.assignment_id,
    isExcluded: row.is_excluded,
  }));
}

/** The networks with more sessions than the rule allows, as hex; none is counted further than that. */
async function crowdedAmong(
  client: ClientBase,
  experimentId: string,
  page: readonly Placed[],
  most: number,
): Promise<ReadonlySet<string>> {
  const networks = new Map(page.map(({ network }) => [network.toString('hex'), network]));
  const { rows } = await client.query<{ network: Buffer }>({
    name: 'read-crowded-networks',
    text: `select asked.network from unnest($2::bytea[]) as asked (network)
      cross join lateral (
        select from assignments a where a.experiment_id = $1 and a.network = asked.network offset $3 limit 1
      ) beyond`,
    values: [experimentId, [...networks.values()], most],
  });
  return new Set(rows.map(({ network }) => network.toString('hex')));
}

async function readExcluded(
  client: ClientBase,
  experimentId: string,
  atMost: number,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ assignment_id: string }>({
    name: 'read-excluded',
    text: 'select assignment_id from excluded_sessions where experiment_id = $1 order by assignment_id limit $2',
    values: [experimentId, atMost],
  });
  return rows.map((row) => row.assignment_id);
}

/** The sessions' rows, and what they add to the sums; those that are not folded yet add it when they are. */
async function change(
  client: ClientBase,
  { experimentId, siteId }: Round,
  { excluded, readmitted }: { readonly excluded: readonly string[]; readonly readmitted: readonly string[] },
): Promise<void> {
  const ids = [...excluded, ...readmitted];
  if (ids.length === 0) return;
  const before = await readSessions(client, ids);
  const hours = await readSessionHours(client, new Map(ids.map((id) => [id, 0])));
  const currencies = await otherCurrenciesOf(client, before);
  await client.query(
    `insert into excluded_sessions (assignment_id, experiment_id, site_id) select id, $2, $3 from unnest($1::uuid[]) as id`,
    [excluded, experimentId, siteId],
  );
  await client.query('delete from excluded_sessions where assignment_id = any($1::uuid[])', [readmitted]);
  const sums = new SumChanges();
  for (const session of before) {
    const sign = session.isExcluded ? 1n : -1n;
    sums.addSession(session, partsOf(session), -1);
    sums.addSession(session, partsOf({ ...session, isExcluded: !session.isExcluded }));
    const whole = [...contributionOf(session.session, hours.get(session.assignmentId) ?? new Map())];
    sums.add(session, {
      hours: new Map(whole.map(([hourMs, add]) => [hourMs, sign > 0n ? add : subtractSums(EMPTY_SUMS, add)])),
      otherCurrencies: new Map(
        [...(currencies.get(session.assignmentId) ?? [])].map(([currency, orders]) => [
          currency,
          sign * orders,
        ]),
      ),
    });
  }
  await addToSums(client, sums);
}

/** Of the sessions that have any, the numbers of orders by currency. */
async function otherCurrenciesOf(
  client: ClientBase,
  sessions: readonly KnownSession[],
): Promise<ReadonlyMap<string, ReadonlyMap<string, bigint>>> {
  const having = new Map(
    sessions
      .filter(({ account }) => account.other_currency_orders > 0n)
      .map((session) => [session.assignmentId, session]),
  );
  const found = new Map<string, Map<string, bigint>>();
  if (having.size === 0) return found;
  for (const [key, state] of await readOrdersOf(client, [...having.keys()])) {
    const [assignmentId = ''] = key.split(' ');
    const session = having.get(assignmentId);
    const currency = session && otherCurrencyOf(state, session.session.window);
    if (currency === undefined) continue;
    const orders = found.get(assignmentId) ?? new Map<string, bigint>();
    found.set(assignmentId, orders.set(currency, (orders.get(currency) ?? 0n) + 1n));
  }
  return found;
}

/**
 * A whole round is over until a session is new, or has its next turn after a rest when one was new while it lasted; any other place has its next turn
 * after the others'.
 */
async function stepOn(client: ClientBase, experimentId: string, to: Place | 'end'): Promise<void> {
  if (to === 'end') {
    await client.query({
      name: 'end-round',
      text: `update exclusion_rounds set readmits = false, after_network = default, after_assignment = default,
          checked_until = coalesce(started_at, now()) - ${SLACK}, started_at = null, has_new = false, attempts = 0,
          lasted = now() - coalesce(started_at, now()),
          next_at = case when has_new and started_at is not null
            then now() + greatest(interval '30 seconds', 4 * (now() - started_at)) else 'infinity' end
        where experiment_id = $1`,
      values: [experimentId],
    });
    return;
  }
  await client.query({
    name: 'step-round',
    text: `update exclusion_rounds set after_network = $2, after_assignment = $3,
        started_at = coalesce(started_at, now()), has_new = has_new and started_at is not null, next_at = now(), attempts = 0
      where experiment_id = $1`,
    values: [experimentId, to.afterNetwork, to.afterAssignment],
  });
}
