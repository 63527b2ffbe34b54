import type { ErasureResource, ServiceErasure } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { formatInstant } from '@truetally/kernel';
import { type Queryable, readPageOfSites } from '@truetally/resource';
import type { ClientBase, QueryResultRow } from 'pg';

/** An erasure under way, with whom it erases. */
export interface OpenErasure {
  readonly erasureId: string;
  readonly siteId: string;
  readonly userId: string;
  readonly email: string | null;
  readonly requestedAtMs: number;
}

export interface NewErasure extends OpenErasure {
  readonly workspaceId: string;
  readonly jobId: string;
  readonly requestedBy: string | null;
  /** Names of all that hold data of people. */
  readonly services: readonly string[];
}

/** What a service has removed, besides what it had removed before. */
export type Removed = Partial<Readonly<Record<'events' | 'other' | 'profiles' | 'submissions', number>>>;

/** Marks the person as erased, and stores the erasure. */
export async function insertErasure(client: ClientBase, erasure: NewErasure): Promise<void> {
  const { erasureId, workspaceId, siteId, userId, email, jobId, requestedAtMs, requestedBy } = erasure;
  await client.query('select announce_person($1, $2)', [siteId, userId]);
  await client.query(
    `insert into erasures (erasure_id, workspace_id, site_id, person_hash, user_id, email, job_id, requested_at,
       requested_by)
     select $1, $2, $3, hash_of_person(key, $4), $4, $5, $6, $7, $8 from person_keys where site_id = $3`,
    [erasureId, workspaceId, siteId, userId, email, jobId, new Date(requestedAtMs), requestedBy],
  );
  await client.query('insert into erasure_services (erasure_id, service) select $1, unnest($2::text[])', [
    erasureId,
    erasure.services,
  ]);
}

/** Undefined when it has ended. */
export async function findOpenErasure(
  client: Queryable,
  erasureId: string,
): Promise<OpenErasure | undefined> {
  const { rows } = await client.query<{
    site_id: string;
    user_id: string;
    email: string | null;
    requested_at: Date;
  }>(
    'select site_id, user_id, email, requested_at from erasures where erasure_id = $1 and user_id is not null',
    [erasureId],
  );
  return rows.map((row) => ({
    erasureId,
    siteId: row.site_id,
    userId: row.user_id,
    email: row.email,
    requestedAtMs: row.requested_at.getTime(),
  }))[0];
}

export async function addSubjects(
  client: ClientBase,
  erasureId: string,
  subjects: readonly string[],
): Promise<void> {
  if (subjects.length === 0) return;
  await client.query(
    'insert into erasure_subjects (erasure_id, subject) select $1, unnest($2::text[]) on conflict do nothing',
    [erasureId, subjects],
  );
}

/** Some subjects behind one, in their order. */
export async function subjectsAfter(
  client: Queryable,
  erasureId: string,
  after: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ subject: string }>(
    'select subject from erasure_subjects where erasure_id = $1 and subject > $2 order by subject limit $3',
    [erasureId, after, limit],
  );
  return rows.map(({ subject }) => subject);
}

/** Adds to what a service has removed. */
export async function addRemoved(
  client: ClientBase,
  { erasureId, service }: { readonly erasureId: string; readonly service: string },
  { profiles = 0, events = 0, submissions = 0, other = 0 }: Removed,
  isConfirmed: boolean,
): Promise<void> {
  // A service that was added by a newer release has no row yet.
  await client.query(
    `insert into erasure_services as s (erasure_id, service, profiles, events, submissions, other, confirmed_at)
     values ($1, $2, $3, $4, $5, $6, case when $7 then clock_timestamp() end)
     on conflict (erasure_id, service) do update set profiles = s.profiles + $3, events = s.events + $4,
       submissions = s.submissions + $5, other = s.other + $6, confirmed_at = excluded.confirmed_at`,
    [erasureId, service, profiles, events, submissions, other, isConfirmed],
  );
}

/** Ends an erasure: what is left has nothing of the person. */
export async function finishErasure(client: ClientBase, erasureId: string): Promise<void> {
  await client.query('delete from erasure_subjects where erasure_id = $1', [erasureId]);
  await client.query(
    `update erasures set finished_at = clock_timestamp(), user_id = null, email = null
     where erasure_id = $1 and finished_at is null`,
    [erasureId],
  );
}

const SERVICES = `(
  select coalesce(json_agg(json_build_object('service', service, 'confirmed_at', confirmed_at, 'profiles', profiles,
    'events', events, 'submissions', submissions, 'other', other) order by service), '[]')
  from erasure_services s where s.erasure_id = erasures.erasure_id) as services`;
const COLUMNS = `erasure_id, site_id, requested_at, requested_by, finished_at, ${SERVICES}`;

/** The proof of an erasure on a site of this workspace, also of a deleted one. */
export async function findErasure(
  client: Queryable,
  workspaceId: string,
  erasureId: string,
): Promise<ErasureResource | undefined> {
  const { rows } = await client.query(
    `select ${COLUMNS} from erasures where workspace_id = $1 and erasure_id = $2`,
    [workspaceId, erasureId],
  );
  return rows.map(toErasure)[0];
}

const OF_PERSON = `
  select e.erasure_id from person_keys k join erasures e using (site_id)
  where k.site_id = any($2::uuid[]) and e.person_hash = hash_of_person(k.key, $1)`;

/** A page of the erasures on these sites, newest first. */
export function pageOfErasures(client: Queryable, query: ResourceQuery, siteIds: readonly string[]) {
  const { user_id: userId } = query.filters;
  return readPageOfSites(client, query, siteIds, {
    columns: COLUMNS,
    from: 'erasures',
    idColumn: 'erasure_id',
    createdColumn: 'requested_at',
    // Each site has a key of its own. A person has few proofs, which are looked up first.
    where: userId === undefined ? [] : [`erasure_id = any (array(${OF_PERSON}))`],
    values: userId === undefined ? [] : [userId, siteIds],
    toResource: (row) => {
      const erasure = toErasure(row);
      return { ...erasure, created_at: erasure.requested_at };
    },
  });
}

interface ServiceRow extends Required<Removed> {
  readonly service: string;
  readonly confirmed_at: string | null;
}

function toErasure(row: QueryResultRow): ErasureResource {
  const read = row as {
    readonly erasure_id: string;
    readonly site_id: string;
    readonly requested_at: Date;
    readonly requested_by: string | null;
    readonly finished_at: Date | null;
    readonly services: readonly ServiceRow[];
  };
  return {
    id: read.erasure_id,
    site_id: read.site_id,
    requested_at: formatInstant(read.requested_at.getTime()),
    requested_by: read.requested_by,
    finished_at: read.finished_at === null ? null : formatInstant(read.finished_at.getTime()),
    services: read.services.map(toService),
  };
}

function toService({
  service,
  confirmed_at: at,
  profiles,
  events,
  submissions,
  other,
}: ServiceRow): ServiceErasure {
  return {
    service,
    state: at === null ? 'waiting' : 'confirmed',
    confirmed_at: at === null ? null : formatInstant(Date.parse(at)),
    removed: { profiles, events, submissions, other },
  };
}

/**
 * Takes whoever erased and is erased from at most `limit` proofs of a deleted workspace. Nobody goes on with an open one: its job is gone,
 * and so is everything that each service had of its site. @returns how many
 */
export async function forgetPeopleOfErasures(
  client: ClientBase,
  workspaceId: string,
  limit: number,
): Promise<number> {
  const { rowCount } = await client.query(
    `with named as (
       select erasure_id from erasures
       where workspace_id = $1 and (requested_by is not null or finished_at is null) limit $2),
     subjects as (delete from erasure_subjects where erasure_id in (select erasure_id from named)),
     services as (
       update erasure_services set confirmed_at = clock_timestamp()
       where confirmed_at is null and erasure_id in (select erasure_id from named))
     update erasures set requested_by = null, user_id = null, email = null,
       finished_at = coalesce(finished_at, clock_timestamp())
     where erasure_id in (select erasure_id from named)`,
    [workspaceId, limit],
  );
  return rowCount ?? 0;
}
