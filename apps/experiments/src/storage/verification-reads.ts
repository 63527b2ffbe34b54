import type { Variant } from '@truetally/contracts/experiments';
import type { ClientBase } from 'pg';
import type { Sums } from '../domain/account.js';
import {
  HOUR_TEXTS,
  type HourTexts,
  hourSumsOf,
  SUM_TEXTS,
  type SumTexts,
  sumsOf,
} from './account-columns.js';

const SESSIONS_AT_ONCE = 1_000;

/** Stored values by their name: `day 2026-01-31`, or a currency. */
export type Named = readonly (readonly [name: string, value: string])[];

/** All stored sums of one experiment. */
interface StoredSums {
  readonly arms: ReadonlyMap<string, Sums>;
  /** By arm and hour, in epoch milliseconds: `control 1769846400000`. */
  readonly hours: ReadonlyMap<string, Sums>;
  /** Sessions of control and treatment: `12/15`. */
  readonly parts: Named;
  /** Orders by currency. */
  readonly currencies: Named;
}

/** A site that is being erased loses its rows table by table. */
const ERASED = 'select from erased_sites e where e.site_id';

/** Ids of all experiments but those of sites that are being erased, in order. */
export async function readExperimentIds(client: ClientBase): Promise<readonly string[]> {
  const { rows } = await client.query<{ experiment_id: string }>(
    `select experiment_id from experiments x where not exists (${ERASED} = x.site_id) order by experiment_id`,
  );
  return rows.map((row) => row.experiment_id);
}

/** An assignment beside its session. */
export interface CheckedAssignment {
  readonly assignmentId: string;
  readonly isFolded: boolean;
  /** Older than a minute: it must be folded. */
  readonly isLate: boolean;
  /** The session has another arm, experiment, site, part of the sample or time. */
  readonly differs: boolean;
}

/** The next assignments after an id, at most 1,000; empty at the end. */
export async function readAssignmentsAfter(
  client: ClientBase,
  after: string,
): Promise<readonly CheckedAssignment[]> {
  const { rows } = await client.query<{
    assignment_id: string;
    is_folded: boolean;
    is_late: boolean;
    differs: boolean;
  }>(
    `select a.assignment_id, s.assignment_id is not null as is_folded,
       a.assigned_at < now() - interval '1 minute' as is_late,
       (s.experiment_id, s.site_id, s.variant, s.provider, s.device, s.assigned_at) is distinct from
         (a.experiment_id, a.site_id, a.variant, a.provider, a.device, a.assigned_at) as differs
     from assignments a left join session_results s on s.assignment_id = a.assignment_id
     where a.assignment_id > $1 and not exists (${ERASED} = a.site_id)
     order by a.assignment_id limit ${SESSIONS_AT_ONCE}`,
    [after],
  );
  return rows.map((row) => ({
    assignmentId: row.assignment_id,
    isFolded: row.is_folded,
    isLate: row.is_late,
    differs: row.differs,
  }));
}

const OF_NO_SESSION = (table: string): string =>
  `select assignment_id::text as name from ${table} r where not exists (
     select from session_results s where s.assignment_id = r.assignment_id and s.site_id = r.site_id)
   and not exists (${ERASED} = r.site_id) limit 1`;
const OF_NO_EXPERIMENT = (table: string): string =>
  `select experiment_id::text as name from ${table} r where not exists (
     select from experiments e where e.experiment_id = r.experiment_id) limit 1`;

/** Rows that belong to nothing, or that nothing would ever take; by what they are. */
const STRAYS: Readonly<Record<string, string>> = {
  'session of no assignment': `
    select s.assignment_id::text as name from session_results s where not exists (
      select from assignments a where a.assignment_id = s.assignment_id)
    and not exists (${ERASED} = s.site_id) limit 1`,
  'session of no experiment': `${OF_NO_EXPERIMENT('session_results').replace(' limit 1', '')}
    and not exists (${ERASED} = r.site_id) limit 1`,
  'record of no session': OF_NO_SESSION('session_records'),
  'order of no session': OF_NO_SESSION('session_orders'),
  'hour of no session': OF_NO_SESSION('session_hours'),
  'arm of no experiment': OF_NO_EXPERIMENT('arm_sums'),
  'hour of no experiment': OF_NO_EXPERIMENT('hour_sums'),
  'part of the sample of no experiment': OF_NO_EXPERIMENT('sample_parts'),
  'currency of no experiment': OF_NO_EXPERIMENT('other_currency_orders'),
  'excluded session of no assignment': `
    select assignment_id::text as name from excluded_sessions x where not exists (
      select from assignments a where a.assignment_id = x.assignment_id and a.experiment_id = x.experiment_id)
    and not exists (${ERASED} = x.site_id) limit 1`,
  'change of the exclusions of no experiment': OF_NO_EXPERIMENT('exclusion_changes'),
  'round of no experiment': `${OF_NO_EXPERIMENT('exclusion_rounds').replace(' limit 1', '')}
    and not exists (${ERASED} = r.site_id) limit 1`,
  'record that waits for nothing': `
    select p.record_id::text as name from pending_records p
    join session_results s on s.assignment_id = p.assignment_id and s.site_id = p.site_id
    where not exists (
      select from sessions_to_fold f where f.site_id = p.site_id and f.assignment_id = p.assignment_id)
    and not exists (${ERASED} = p.site_id) limit 1`,
  'session to fold without a turn': `
    select assignment_id::text as name from sessions_to_fold f where not exists (
      select from sites_to_fold t where t.site_id = f.site_id)
    and not exists (${ERASED} = f.site_id) limit 1`,
};

/** The first row that belongs to nothing; null when there is none. */
export async function findStray(client: ClientBase): Promise<string | null> {
  for (const [kind, query] of Object.entries(STRAYS)) {
    const { rows } = await client.query<{ name: string }>(query);
    const [stray] = rows;
    if (stray !== undefined) return `${stray.name} is a ${kind}`;
  }
  return null;
}

/** The number of sessions whose facts wait for the turn of their site. */
export async function countWaiting(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ waiting: number }>(
    'select count(*)::float8 as waiting from sessions_to_fold',
  );
  return rows[0]?.waiting ?? 0;
}

/** The next sessions of an experiment after an id, with the number of their records; empty at the end. */
export async function readSessionsAfter(
  client: ClientBase,
  experimentId: string,
  after: string,
): Promise<readonly { readonly assignmentId: string; readonly records: number }[]> {
  const { rows } = await client.query<{ assignment_id: string; records: number }>(
    `select s.assignment_id, (select count(*) from session_records r where r.assignment_id = s.assignment_id)::float8
       as records
     from session_results s where s.experiment_id = $1 and s.assignment_id > $2
     order by s.assignment_id limit ${SESSIONS_AT_ONCE}`,
    [experimentId, after],
  );
  return rows.map((row) => ({ assignmentId: row.assignment_id, records: row.records }));
}

/** Every stored sum of an experiment. */
export async function readStoredSums(client: ClientBase, experimentId: string): Promise<StoredSums> {
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
  return {
    arms: new Map(arms.rows.map((row) => [row.variant, sumsOf(row)])),
    hours: new Map(hours.rows.map((row) => [`${row.variant} ${row.hour.getTime()}`, hourSumsOf(row)])),
    parts: parts.rows.map((row) => [`${row.dimension} ${row.value}`, `${row.control}/${row.treatment}`]),
    currencies: currencies.rows.map(({ currency, orders }) => [currency, orders]),
  };
}

/**
 * Sessions that count although the experiment's rule excludes them, or the other way round, by the assignments themselves; while a round is
 * under way that is lag. A network whose sessions were forgotten was larger than it can be seen to be.
 */
const WRONGLY_COUNTED = `
  with rule as (
    select e.experiment_id, e.sessions_per_network as most, r.next_at, r.checked_until
    from experiments e left join exclusion_rounds r using (experiment_id) where e.experiment_id = $1
  ), crowded as (
    select network from assignments, rule where assignments.experiment_id = rule.experiment_id and network is not null
      and assigned_at <= checked_until group by network, most having count(*) > most
  )
  select 'no round of the exclusions' as fault from rule where most is not null and next_at is null
  union all
  select 'session ' || a.assignment_id || ' counts, and its network has more than ' || most
  from rule join assignments a using (experiment_id) join crowded using (network)
  where next_at = 'infinity' and assigned_at <= checked_until
    and not exists (select from excluded_sessions x where x.assignment_id = a.assignment_id)
  union all
  select 'session ' || x.assignment_id || ' is excluded without a rule'
  from rule join excluded_sessions x using (experiment_id) where most is null and next_at is null
  union all
  select 'session ' || x.assignment_id || ' is excluded, and its network has at most ' || most
  from rule join excluded_sessions x using (experiment_id) join assignments a using (assignment_id)
  where next_at = 'infinity' and a.network is not null
    and (select count(*) from assignments b where b.experiment_id = x.experiment_id and b.network = a.network) <= most
    and not exists (select from assignments f where f.experiment_id = x.experiment_id and f.session_id = 'erased')
  limit 1`;

/** The first of them; null when there is none. */
export async function findWronglyCounted(client: ClientBase, experimentId: string): Promise<string | null> {
  const { rows } = await client.query<{ fault: string }>(WRONGLY_COUNTED, [experimentId]);
  return rows[0]?.fault ?? null;
}
