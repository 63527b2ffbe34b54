import type { MemberRole } from '@truetally/contracts';
import type { ClientBase } from 'pg';
import type { Member } from '../domain/workspace.js';

interface MemberRow {
  readonly member_id: string;
  readonly workspace_id: string;
  readonly subject: string;
  readonly role: MemberRole;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** What a member's fact says of the workspace. */
interface WorkspaceState {
  readonly isSuspended: boolean;
  readonly hourlyLimit: number;
}

const COLUMNS = 'member_id, workspace_id, subject, role, version, created_at, updated_at';
/** For a join with workspaces, which have a version too. */
const QUALIFIED_COLUMNS = COLUMNS.replace(/\w+/g, 'members.$&');

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
 * Any workspace's members in the order of their ids, with their workspace's state. The workspaces are held until the
 * transaction ends, so that what is said about their members stays true until it is in the outbox.
 */
export async function holdMembers(
  client: ClientBase,
  afterMemberId: string,
  limit: number,
): Promise<readonly { readonly member: Member; readonly workspace: WorkspaceState }[]> {
  const { rows } = await client.query<
    MemberRow & { readonly is_suspended: boolean; readonly hourly_limit: number }
  >(
    `select ${QUALIFIED_COLUMNS}, workspaces.is_suspended, workspaces.hourly_limit
     from members join workspaces using (workspace_id)
     where member_id > $1 and subject is not null
     order by member_id limit $2 for share of members, workspaces`,
    [afterMemberId, limit],
  );
  return rows.map((row) => ({
    member: toMember(row),
    workspace: { isSuspended: row.is_suspended, hourlyLimit: row.hourly_limit },
  }));
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
