import type { MemberRole } from '@truetally/contracts';
import type { ClientBase } from 'pg';
import type { Member, Workspace } from '../domain/workspace.js';
import type { Queryable } from './page.js';
import { holdWorkspaces } from './workspace.store.js';

interface MemberRow {
  readonly member_id: string;
  readonly workspace_id: string;
  readonly subject: string;
  readonly role: MemberRole;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = 'member_id, workspace_id, subject, role, version, created_at, updated_at';

/** @returns false when the workspace has this member already */
export async function insertMember(client: ClientBase, member: Member): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into members (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (workspace_id, subject) do nothing`,
    [
      member.memberId,
      member.workspaceId,
      member.subject,
      member.role,
      member.version,
      new Date(member.createdAtMs),
      new Date(member.updatedAtMs),
    ],
  );
  return rowCount === 1;
}

/** What a user is in a workspace; nothing where the workspace is suspended or deleted. */
export async function roleOf(
  client: Queryable,
  workspaceId: string,
  subject: string,
): Promise<MemberRole | undefined> {
  const { rows } = await client.query<{ role: MemberRole }>(
    `select role from members join workspaces using (workspace_id)
     where workspace_id = $1 and subject = $2 and deleted_at is null and not is_suspended`,
    [workspaceId, subject],
  );
  return rows[0]?.role;
}

/** Every member of one workspace: this is what one suspension has to name. */
export async function membersOfWorkspace(
  client: ClientBase,
  workspaceId: string,
): Promise<readonly Member[]> {
  const { rows } = await client.query<MemberRow>(
    `select ${COLUMNS} from members where workspace_id = $1 and subject is not null`,
    [workspaceId],
  );
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
): Promise<readonly { readonly member: Member; readonly workspace: Workspace }[]> {
  const chunk = await client.query<{ readonly member_id: string; readonly workspace_id: string }>(
    `select member_id, workspace_id from members
     where member_id > $1 and subject is not null order by member_id limit $2`,
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
  return rows.flatMap((row) => {
    const workspace = workspaces.get(row.workspace_id);
    return workspace === undefined ? [] : [{ member: toMember(row), workspace }];
  });
}

function toMember(row: MemberRow): Member {
  return {
    memberId: row.member_id,
    workspaceId: row.workspace_id,
    subject: row.subject,
    role: row.role,
    version: row.version,
    createdAtMs: row.created_at.getTime(),
    updatedAtMs: row.updated_at.getTime(),
  };
}
