import { highestRole, memberKey, type MemberName, type MemberRole } from '@truetally/contracts/facts';
import type { MemberResource, WorkspaceResource } from '@truetally/contracts/management';
import type { Actor, ResourceQuery } from '@truetally/contracts/resource';
import { tableOf } from '@truetally/persistence';
import { listingOf, type Queryable, readPage } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { type Chunk, endOf } from './chunk.js';
import { OWN_MEMBERSHIP } from './own-membership.js';
import { holdWorkspaces } from './workspace.store.js';

const MEMBERS = tableOf<MemberResource>('members', 'id', {
  id: ['member_id', 'uuid'],
  workspace_id: 'uuid',
  sub: ['subject', 'text'],
  email: 'text',
  role: 'text',
  membership: 'text',
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
});
const NAMES = MEMBERS.only('workspace_id', 'sub', 'email');
const CHANGING = MEMBERS.without('workspace_id', 'created_at');
const SELECT = `select ${MEMBERS.selection()} from members`;
const ONE_MEMBER = `${SELECT} where workspace_id = $1 and member_id = $2`;

/** @returns false when the workspace already has this member */
export async function insertMember(client: ClientBase, member: MemberResource): Promise<boolean> {
  const { rowCount } = await client.query(MEMBERS.insert(member, 'on conflict do nothing'));
  return rowCount === 1;
}

export async function findMember(
  client: Queryable,
  workspaceId: string,
  memberId: string | undefined,
): Promise<MemberResource | undefined> {
  const { rows } = await client.query(ONE_MEMBER, [workspaceId, memberId]);
  return rows.map(MEMBERS.read)[0];
}

/** All memberships and invitations of a person in a workspace, the one by subject first: two at most. */
export async function membershipsOf(
  client: Queryable,
  workspaceId: string,
  { sub, email }: Pick<Actor, 'sub' | 'email'>,
): Promise<readonly MemberResource[]> {
  const { rows } = await client.query(
    `${SELECT} where ${OWN_MEMBERSHIP} and workspace_id = $3 order by subject is null`,
    [sub, email, workspaceId],
  );
  return rows.map(MEMBERS.read);
}

/** A user's role in a workspace; undefined when the workspace is suspended or deleted. */
export async function roleOf(
  client: Queryable,
  workspaceId: string,
  user: Pick<Actor, 'sub' | 'email'>,
): Promise<MemberRole | undefined> {
  const { rows } = await client.query(
    `select from workspaces where workspace_id = $1 and deleted_at is null and not is_suspended`,
    [workspaceId],
  );
  return rows.length === 0 ? undefined : acceptedRole(await membershipsOf(client, workspaceId, user));
}

/** A person's role over all accepted memberships; undefined without any. */
export function acceptedRole(own: readonly MemberResource[]): MemberRole | undefined {
  return highestRole(own.filter(({ membership }) => membership === 'accepted').map(({ role }) => role));
}

/** Only accepted owners count: others cannot act. */
export async function countOwners(client: ClientBase, workspaceId: string): Promise<number> {
  const { rows } = await client.query<{ owners: number }>(
    `select count(*)::int as owners from members
     where workspace_id = $1 and role = 'owner' and membership = 'accepted'`,
    [workspaceId],
  );
  return rows[0]?.owners ?? 0;
}

export async function storeMember(client: ClientBase, member: MemberResource): Promise<void> {
  await client.query(CHANGING.update(member.id, member));
}

export async function removeMembers(client: ClientBase, memberIds: readonly string[]): Promise<void> {
  await client.query('delete from members where member_id = any($1)', [memberIds]);
}

export function pageOfMembers(client: Queryable, query: ResourceQuery) {
  return readPage(client, query, {
    ...listingOf(MEMBERS),
    where: ['workspace_id = $1'],
    values: [query.workspace_id],
  });
}

/** All members of one workspace, which a suspension must publish. */
export async function membersOfWorkspace(
  client: ClientBase,
  workspaceId: string,
): Promise<readonly MemberResource[]> {
  const { rows } = await client.query(`${SELECT} where workspace_id = $1`, [workspaceId]);
  return rows.map(MEMBERS.read);
}

/**
 * Members of all workspaces in the order of their ids, with their workspace, locked until the transaction
 * ends, the workspaces first, for the reasons in `holdSites`.
 */
export async function holdMembers(
  client: ClientBase,
  afterMemberId: string,
  limit: number,
): Promise<Chunk<{ readonly member: MemberResource; readonly workspace: WorkspaceResource }>> {
  const chunk = await client.query<{ readonly member_id: string; readonly workspace_id: string }>(
    'select member_id, workspace_id from members where member_id > $1 order by member_id limit $2',
    [afterMemberId, limit],
  );
  const workspaces = await holdWorkspaces(
    client,
    chunk.rows.map((row) => row.workspace_id),
  );
  const { rows } = await client.query(`${SELECT} where member_id = any($1) order by member_id for share`, [
    chunk.rows.map((row) => row.member_id),
  ]);
  const items = rows.map(MEMBERS.read).flatMap((member) => {
    const workspace = workspaces.get(member.workspace_id);
    return workspace === undefined ? [] : [{ member, workspace }];
  });
  return { items, lastId: endOf(chunk.rows, limit)?.member_id };
}

/** The names that are not members. Their workspaces are locked, so that none becomes one meanwhile. */
export async function withoutMembership(
  client: ClientBase,
  names: readonly MemberName[],
): Promise<readonly MemberName[]> {
  const ids = names.map((name) => name.workspace_id);
  const workspaces = await holdWorkspaces(client, ids);
  const { rows } = await client.query(
    `select ${NAMES.selection()} from members where workspace_id = any($1)`,
    [[...workspaces.keys()]],
  );
  const known = new Set(rows.map(NAMES.read).map(memberKey));
  return names.filter((name) => !known.has(memberKey(name)));
}

/** Deletes at most `limit` members of a deleted workspace. @returns their names */
export async function eraseMembersOfWorkspace(
  client: ClientBase,
  workspaceId: string,
  limit: number,
): Promise<readonly MemberName[]> {
  const { rows } = await client.query(
    `delete from members where member_id in (
       select member_id from members join workspaces using (workspace_id)
       where members.workspace_id = $1 and deleted_at is not null limit $2)
     returning ${NAMES.selection('members')}`,
    [workspaceId, limit],
  );
  return rows.map(NAMES.read);
}
