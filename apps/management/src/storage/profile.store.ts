import { type ProfileResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { erasedAmong, tableOf } from '@truetally/persistence';
import { asJson, type Queryable, writePageOfSites } from '@truetally/resource';
import type { ClientBase } from 'pg';

type ProfileRecord = ProfileResource & { readonly workspace_id: string };

const PROFILE_TABLE = tableOf<ProfileRecord>('profiles', 'id', {
  id: 'uuid',
  workspace_id: 'uuid',
  site_id: 'uuid',
  user_id: 'text',
  email: 'text',
  phone: 'text',
  name: 'text',
  first_name: 'text',
  last_name: 'text',
  language: 'text',
  attributes: 'json',
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
});
const RESOURCES = PROFILE_TABLE.without('workspace_id');
const FIND = {
  name: 'profile-find',
  text: asJson(
    RESOURCES.members(),
    `select ${RESOURCES.selection()} from profiles where site_id = $2 and user_id = $3 and exists (
       select from sites where sites.site_id = profiles.site_id and workspace_id = $1 and deleted_at is null)`,
  ),
};

/** A profile of an existing site of this workspace, as JSON text. */
export async function findProfile(
  client: Queryable,
  workspaceId: string,
  { siteId, userId }: { readonly siteId: string; readonly userId: string },
): Promise<string | undefined> {
  const { rows } = await client.query<{ json: string }>({ ...FIND, values: [workspaceId, siteId, userId] });
  return rows[0]?.json;
}

/** The profiles of some people of a site by `user_id`, locked in that order until the transaction ends. */
export async function lockProfiles(
  client: ClientBase,
  siteId: string,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, ProfileRecord>> {
  const { rows } = await client.query(
    `select ${PROFILE_TABLE.selection()} from profiles
     where site_id = $1 and user_id = any($2::text[]) order by user_id for update`,
    [siteId, userIds],
  );
  return new Map(rows.map(PROFILE_TABLE.read).map((profile) => [profile.user_id, profile]));
}

const PEOPLE_OF_SITE = `hashtextextended(current_schema() || ' people ' || $1, 0)`;

/** Locks the people of a site against other imports and erasures until the transaction ends. */
export async function lockPeople(client: ClientBase, siteId: string): Promise<void> {
  await client.query(`select pg_advisory_xact_lock(${PEOPLE_OF_SITE})`, [siteId]);
}

/** The same without waiting. @returns whether they are locked */
export async function tryLockPeople(client: ClientBase, siteId: string): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `select pg_try_advisory_xact_lock(${PEOPLE_OF_SITE}) as locked`,
    [siteId],
  );
  return rows[0]?.locked === true;
}

/** Those of these people of a site who were erased; read it under the lock of its people. */
export async function erasedPeople(
  client: ClientBase,
  siteId: string,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const people = userIds.map((userId) => ({ siteId, userId }));
  const erased = await erasedAmong(client, people);
  return new Set(userIds.filter((_, place) => erased.has(place)));
}

/** Stores new and changed profiles of one site, whose people no other transaction writes. */
export async function storeProfiles(client: ClientBase, profiles: readonly ProfileRecord[]): Promise<void> {
  if (profiles.length === 0) return;
  const changes = [
    'email',
    'phone',
    'name',
    'first_name',
    'last_name',
    'language',
    'attributes',
    'version',
    'updated_at',
  ]
    .map((column) => `${column} = excluded.${column}`)
    .join(', ');
  await client.query(
    PROFILE_TABLE.insertAll(profiles, `on conflict (site_id, user_id) do update set ${changes}`),
  );
}

/** A page of the profiles of these existing sites: the reply's text. */
export function pageOfProfiles(client: Queryable, query: ResourceQuery, siteIds: readonly string[]) {
  const { user_id: userId, email } = query.filters;
  const filters = [
    ...(userId === undefined ? [] : [{ column: 'user_id', value: userId }]),
    ...(email === undefined ? [] : [{ column: 'email', value: email.toLowerCase() }]),
  ];
  return writePageOfSites(client, query, siteIds, {
    columns: RESOURCES.selection(),
    members: RESOURCES.members(),
    from: RESOURCES.name,
    idColumn: RESOURCES.key,
    createdColumn: 'created_at',
    where: filters.map(({ column }, at) => `${column} = $${at + 1}`),
    values: filters.map(({ value }) => value),
    isUnique: userId !== undefined,
  });
}

/** Deletes the profile of a person, if there is one. */
export async function removeProfile(client: ClientBase, siteId: string, userId: string): Promise<void> {
  await client.query('delete from profiles where site_id = $1 and user_id = $2', [siteId, userId]);
}
