import type { MemberName, MemberRole } from '@truetally/contracts/facts';
import type { MemberResource, WorkspaceResource } from '@truetally/contracts/management';
import type { Actor, ResourceQuery } from '@truetally/contracts/resource';
import { type Queryable, readPage } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { type Chunk, endOf } from './chunk.js';
import { holdWorkspaces } from './workspace.store.js';

interface MemberRow {
  readonly member_id: string;
  readonly workspace_id: string;
  readonly subject: string | null;
  readonly email: string | null;
  readonly role: MemberRole;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = 'member_id, workspace_id, subject, email, role, version, created_at, updated_at';
const ONE_MEMBER = `select ${COLUMNS} from members where workspace_id = $1 and member_id = $2`;

/** @returns false when the workspace has this member already */
export async function insertMember(client: ClientBase, member: MemberResource): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into members (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [
      member.id,
      member.workspace_id,
      member.sub,
      member.email,
      member.role,
      member.version,
      member.created_at,
      member.updated_at,
    ],
  );
  return rowCount === 1;
}

export async function findMember(
  client: Queryable,
  workspaceId: string,
  memberId: string | undefined,
): Promise<MemberResource | undefined> {
  const { rows } = await client.query<MemberRow>(ONE_MEMBER, [workspaceId, memberId]);
  return rows.map(toMember)[0];
}

/** Of somebody who is a member by both names, the one by subject counts. */
export async function findMemberByName(
  client: Queryable,
  workspaceId: string,
  { sub, email }: Pick<Actor, 'sub' | 'email'>,
): Promise<MemberResource | undefined> {
  const { rows } = await client.query<MemberRow>(
    `select ${COLUMNS} from members where workspace_id = $1 and (subject = $2 or email = $3)
     order by subject is null limit 1`,
    [workspaceId, sub, email],
  );
  return rows.map(toMember)[0];
}

/** What a user is in a workspace; nothing where the workspace is suspended or deleted. */
export async function roleOf(
  client: Queryable,
  workspaceId: string,
  user: Pick<Actor, 'sub' | 'email'>,
): Promise<MemberRole | undefined> {
  const { rows } = await client.query(
    `select from workspaces where workspace_id = $1 and deleted_at is null and not is_suspended`,
    [workspaceId],
  );
  const member = rows.length === 0 ? undefined : await findMemberByName(client, workspaceId, user);
  return member?.role;
}

export async function countOwners(client: ClientBase, workspaceId: string): Promise<number> {
  const { rows } = await client.query<{ owners: number }>(
    `select count(*)::int as owners from members where workspace_id = $1 and role = 'owner'`,
    [workspaceId],
  );
  return rows[0]?.owners ?? 0;
}

export async function storeMember(client: ClientBase, member: MemberResource): Promise<void> {
  await client.query('update members set role = $2, version = $3, updated_at = $4 where member_id = $1', [
    member.id,
    member.role,
    member.version,
    member.updated_at,
  ]);
}

export async function removeMember(client: ClientBase, memberId: string): Promise<void> {
  await client.query('delete from members where member_id = $1', [memberId]);
}

export function pageOfMembers(client: Queryable, query: ResourceQuery) {
  return readPage<MemberRow, MemberResource>(client, query, {
    columns: COLUMNS,
    from: 'members',
    idColumn: 'member_id',
    createdColumn: 'created_at',
    where: ['workspace_id = $1'],
    values: [query.workspace_id],
    toResource: toMember,
  });
}

/** Every member of one workspace: this is what one suspension has to name. */
export async function membersOfWorkspace(
  client: ClientBase,
  workspaceId: string,
): Promise<readonly MemberResource[]> {
  const { rows } = await client.query<MemberRow>(`select ${COLUMNS} from members where workspace_id = $1`, [
    workspaceId,
  ]);
  return rows.map(toMember);
}

/**
 * Any workspace's members in the order of their ids, with their workspace. All of them are held until the transaction
 * ends, the workspaces first, for the reasons that `holdSites` names.
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
  const { rows } = await client.query<MemberRow>(
    `select ${COLUMNS} from members where member_id = any($1) order by member_id for share`,
    [chunk.rows.map((row) => row.member_id)],
  );
  const items = rows.flatMap((row) => {
    const workspace = workspaces.get(row.workspace_id);
    return workspace === undefined ? [] : [{ member: toMember(row), workspace }];
  });
  return { items, lastId: endOf(chunk.rows, limit)?.member_id };
}

/** Those of the names who are no members. Their workspaces are held, so that nobody becomes one meanwhile. */
export async function withoutMembership(
  client: ClientBase,
  names: readonly MemberName[],
): Promise<readonly MemberName[]> {
  const ids = names.map((name) => name.workspace_id);
  const workspaces = await holdWorkspaces(client, ids);
  const { rows } = await client.query<Pick<MemberRow, 'email' | 'subject' | 'workspace_id'>>(
    'select workspace_id, subject, email from members where workspace_id = any($1)',
    [[...workspaces.keys()]],
  );
  const known = new Set(rows.map((row) => JSON.stringify([row.workspace_id, row.subject, row.email])));
  return names.filter((name) => !known.has(JSON.stringify([name.workspace_id, name.sub, name.email])));
}

function toMember(row: MemberRow): MemberResource {
  return {
    id: row.member_id,
    workspace_id: row.workspace_id,
    sub: row.subject,
    email: row.email,
    role: row.role,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
