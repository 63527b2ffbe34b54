import type { AssignedSessionFact } from '@truetally/contracts/facts';
import type { ClientBase, Pool } from 'pg';

/** Sessions of a site that one transaction looks at. */
const SESSIONS_AT_ONCE = 50;
/** Assignments of one look for forgotten ones. */
const ASSIGNMENTS_AT_ONCE = 1_000;
/** Usual facts come within seconds. */
const FACT_IS_LATE = '1 minute';
const FIRST_ID = '00000000-0000-0000-0000-000000000000';
const FIRST_WAIT_S = 1;
const LONGEST_WAIT_S = 60;

/** Sessions of a site with something left to fold. */
export interface Backlog {
  readonly assignmentIds: readonly string[];
  /** Those that are assigned, and not yet among the results. */
  readonly missing: readonly AssignedSessionFact[];
}

/**
 * Held when sessions are flagged, and when flags are dropped: the latter must see all that waits. Unlike the
 * lock of folding it is never held for long.
 */
export async function lockFlags(client: ClientBase, siteIds: readonly string[]): Promise<void> {
  await client.query({
    name: 'lock-flagged-sites',
    text: `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' set aside ' || site_id, 0))
      from unnest($1::text[]) as site_id`,
    values: [[...new Set(siteIds)].sort()],
  });
}

/** In the order of ids, which prevents deadlocks. @param named assignments and their sites */
export async function flagSessions(
  client: ClientBase,
  named: readonly (readonly [assignmentId: string, siteId: string])[],
): Promise<void> {
  if (named.length === 0) return;
  await client.query({
    name: 'flag-sessions',
    text: `with named as (select * from unnest($1::uuid[], $2::uuid[]) as named (assignment_id, site_id)),
      flagged as (
        insert into sessions_to_fold (site_id, assignment_id)
        select distinct site_id, assignment_id from named order by site_id, assignment_id
        on conflict do nothing
      )
      insert into sites_to_fold (site_id) select distinct site_id from named order by site_id on conflict do nothing`,
    values: [named.map(([assignmentId]) => assignmentId), named.map(([, siteId]) => siteId)],
  });
}

/** Flags these sessions where records still wait for them. */
export async function flagLeft(client: ClientBase, assignmentIds: readonly string[]): Promise<void> {
  if (assignmentIds.length === 0) return;
  await client.query({
    name: 'flag-left',
    text: `with flagged as (
        insert into sessions_to_fold (site_id, assignment_id)
        select s.site_id, s.assignment_id from unnest($1::uuid[]) as asked (id)
        cross join lateral (select * from session_results s where s.assignment_id = asked.id limit 1) s
        cross join lateral (
          select from pending_records p where p.assignment_id = s.assignment_id and p.site_id = s.site_id limit 1
        ) p
        order by s.site_id, s.assignment_id
        on conflict do nothing returning site_id
      )
      insert into sites_to_fold (site_id) select distinct site_id from flagged order by 1 on conflict do nothing`,
    values: [assignmentIds],
  });
}

/** The next flagged sessions of a site. */
export async function readFlagged(client: ClientBase, siteId: string): Promise<Backlog> {
  const flagged = await client.query<{ assignment_id: string }>({
    name: 'read-flagged',
    text: `select assignment_id from sessions_to_fold where site_id = $1
      order by assignment_id limit ${SESSIONS_AT_ONCE}`,
    values: [siteId],
  });
  const assignmentIds = flagged.rows.map((row) => row.assignment_id);
  const { rows } = await client.query<MissingRow>({
    name: 'read-missing',
    text: `select a.assignment_id, a.experiment_id, a.site_id, a.session_id, a.variant, a.provider, a.device,
        a.assigned_at
      from unnest($1::uuid[]) as asked (id)
      cross join lateral (select * from assignments a where a.assignment_id = asked.id limit 1) a
      where not exists (select from session_results s where s.assignment_id = asked.id)
      and a.site_id = $2 order by a.assignment_id`,
    values: [assignmentIds, siteId],
  });
  const missing = rows.map((row) => ({
    ...row,
    campaign_ids: [],
    assigned_at: row.assigned_at.toISOString(),
  }));
  return { assignmentIds, missing };
}

interface MissingRow extends Omit<AssignedSessionFact, 'assigned_at' | 'campaign_ids'> {
  readonly assigned_at: Date;
}

/** Everything that was folded of these sessions waits again. */
export async function resetSessions(client: ClientBase, assignmentIds: readonly string[]): Promise<void> {
  const values = [assignmentIds];
  await client.query(
    `with former as (delete from session_records where assignment_id = any($1::uuid[]) returning *)
     insert into pending_records select * from former on conflict do nothing`,
    values,
  );
  await client.query('delete from session_orders where assignment_id = any($1::uuid[])', values);
  await client.query('delete from session_hours where assignment_id = any($1::uuid[])', values);
}

/** Drops the flags of these sessions where nothing is left; the site is last now, or done. */
export async function dropFlags(
  client: ClientBase,
  siteId: string,
  assignmentIds: readonly string[],
): Promise<void> {
  await client.query({
    name: 'drop-flags',
    text: `delete from sessions_to_fold f using unnest($2::uuid[]) as asked (id)
      where f.site_id = $1 and f.assignment_id = asked.id and not exists (
        select from session_results s
        cross join lateral (
          select from pending_records p where p.assignment_id = s.assignment_id and p.site_id = s.site_id limit 1
        ) p
        where s.assignment_id = asked.id and s.site_id = $1)`,
    values: [siteId, assignmentIds],
  });
  await client.query({
    name: 'put-site-last',
    text: `with done as (
        delete from sites_to_fold where site_id = $1 and not exists (
          select from sessions_to_fold where site_id = $1)
      )
      update sites_to_fold set next_at = now(), attempts = 0
      where site_id = $1 and exists (select from sessions_to_fold where site_id = $1)`,
    values: [siteId],
  });
}

/** How often the site's last piece has failed: a smaller one may be done in time. */
export async function failuresOf(client: ClientBase, siteId: string): Promise<number> {
  const { rows } = await client.query<{ attempts: number }>({
    name: 'read-attempts-of-site',
    text: 'select attempts from sites_to_fold where site_id = $1',
    values: [siteId],
  });
  return rows[0]?.attempts ?? 0;
}

/** After a failure: its next turn is later each time, at most a minute. */
export async function postponeSite(pool: Pool, siteId: string): Promise<void> {
  await pool.query(
    `update sites_to_fold set attempts = least(attempts + 1, 30),
       next_at = now() + least(${LONGEST_WAIT_S}, ${FIRST_WAIT_S} * 2 ^ attempts) * interval '1 second'
     where site_id = $1`,
    [siteId],
  );
}

/** A site that is erased has no turn. */
export async function forgetSite(client: ClientBase, siteId: string): Promise<number> {
  await client.query('delete from sites_to_fold where site_id = $1', [siteId]);
  return 0;
}

interface Forgotten {
  /** Assignments and their sites. */
  readonly forgotten: readonly (readonly [assignmentId: string, siteId: string])[];
  /** The last assignment looked at; null when it was the last one of all. */
  readonly last: string | null;
}

/** The next thousand assignments after this one, and which of them are not folded although their fact is late. */
export async function readForgotten(client: ClientBase, after: string | null): Promise<Forgotten> {
  const { rows } = await client.query<{ assignment_id: string; site_id: string; is_forgotten: boolean }>({
    name: 'read-forgotten',
    text: `select a.assignment_id, a.site_id, a.assigned_at < now() - interval '${FACT_IS_LATE}' and not exists (
        select from session_results s where s.assignment_id = a.assignment_id) as is_forgotten
      from assignments a where a.assignment_id > $1
      order by a.assignment_id limit ${ASSIGNMENTS_AT_ONCE}`,
    values: [after ?? FIRST_ID],
  });
  return {
    forgotten: rows.filter((row) => row.is_forgotten).map((row) => [row.assignment_id, row.site_id]),
    last: rows.length < ASSIGNMENTS_AT_ONCE ? null : (rows.at(-1)?.assignment_id ?? null),
  };
}
