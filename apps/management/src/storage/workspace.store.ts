import { highestRole, type MemberRole, type Membership } from '@truetally/contracts/facts';
import {
  type OwnWorkspace,
  type Quotas,
  quotasOf,
  changedQuotas,
  type WorkspaceResource,
} from '@truetally/contracts/management';
import type { Actor, ResourceQuery } from '@truetally/contracts/resource';
import { type Queryable, readPage } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { OWN_MEMBERSHIP } from './own-membership.js';

interface WorkspaceRow {
  readonly workspace_id: string;
  readonly name: string;
  readonly is_suspended: boolean;
  readonly hourly_limit: number;
  readonly quotas: Partial<Quotas>;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = 'workspace_id, name, is_suspended, hourly_limit, quotas, version, created_at, updated_at';

/** A deleted workspace counts as unknown. */
const LIVE_WORKSPACE = `select ${COLUMNS} from workspaces where workspace_id = $1 and deleted_at is null`;

/** @param createdBy the creator's subject */
export async function insertWorkspace(
  client: ClientBase,
  workspace: WorkspaceResource,
  createdBy: string,
): Promise<void> {
  await client.query(
    `insert into workspaces (${COLUMNS}, created_by) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      workspace.id,
      ...settingsOf(workspace),
      workspace.version,
      workspace.created_at,
      workspace.updated_at,
      createdBy,
    ],
  );
}

/** Whether a user owns a workspace that the platform has suspended. */
export async function ownsSuspended(
  client: ClientBase,
  { sub, email }: Pick<Actor, 'sub' | 'email'>,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from members join workspaces using (workspace_id)
     where ${OWN_MEMBERSHIP} and role = 'owner' and membership = 'accepted' and is_suspended
       and deleted_at is null limit 1`,
    [sub, email],
  );
  return rowCount === 1;
}

export async function findWorkspace(
  client: Queryable,
  workspaceId: string,
): Promise<WorkspaceResource | undefined> {
  return firstWorkspace(client, LIVE_WORKSPACE, workspaceId);
}

/** Blocks changes to the workspace's state until this transaction ends, but not other readers. */
export async function holdWorkspace(
  client: ClientBase,
  workspaceId: string,
): Promise<WorkspaceResource | undefined> {
  return firstWorkspace(client, `${LIVE_WORKSPACE} for share`, workspaceId);
}

/** Several at a time, in the order of their ids, which prevents deadlocks. */
export async function holdWorkspaces(
  client: ClientBase,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, WorkspaceResource>> {
  const { rows } = await client.query<WorkspaceRow>(
    `select ${COLUMNS} from workspaces where workspace_id = any($1) and deleted_at is null
     order by workspace_id for share`,
    [[...new Set(workspaceIds)]],
  );
  return new Map(rows.map((row) => [row.workspace_id, toWorkspace(row)]));
}

/**
 * For a change: every transaction that publishes the workspace's state waits until this one ends. Not `for
 * update`, which would also block foreign keys: commands that lock a site write an audit entry, behind others
 * that hold the workspace and wait for that site.
 */
export async function lockWorkspace(
  client: ClientBase,
  workspaceId: string,
): Promise<WorkspaceResource | undefined> {
  return firstWorkspace(client, `${LIVE_WORKSPACE} for no key update`, workspaceId);
}

export async function storeWorkspace(client: ClientBase, workspace: WorkspaceResource): Promise<void> {
  await client.query(
    `update workspaces set name = $2, is_suspended = $3, hourly_limit = $4, quotas = $5, version = $6, updated_at = $7
     where workspace_id = $1`,
    [workspace.id, ...settingsOf(workspace), workspace.version, workspace.updated_at],
  );
}

/** From here on queries do not find the workspace. */
export async function markWorkspaceDeleted(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query('update workspaces set deleted_at = clock_timestamp() where workspace_id = $1', [
    workspaceId,
  ]);
}

interface OwnWorkspaceRow extends WorkspaceRow {
  readonly own: readonly [MemberRole, Membership][];
}

/** The workspaces that a person is a member of, or invited to, by either name. */
export function pageOfWorkspaces(
  client: Queryable,
  query: ResourceQuery,
  { sub, email }: Pick<Actor, 'sub' | 'email'>,
) {
  return readPage<OwnWorkspaceRow, OwnWorkspace>(client, query, {
    columns: `${COLUMNS}, (select jsonb_agg(jsonb_build_array(role, membership)) from members
      where members.workspace_id = workspaces.workspace_id and ${OWN_MEMBERSHIP}) as own`,
    from: 'workspaces',
    idColumn: 'workspace_id',
    createdColumn: 'created_at',
    where: [
      'deleted_at is null',
      `workspace_id in (select workspace_id from members where subject = $1
         union select workspace_id from members where email = $2 and subject is null)`,
    ],
    values: [sub, email],
    toResource: ({ own, ...row }) => ({ ...toWorkspace(row), ...standingOf(own) }),
  });
}

/** The accepted membership counts; without one, the invitation is shown. */
function standingOf(own: OwnWorkspaceRow['own']): Pick<OwnWorkspace, 'membership' | 'role'> {
  const rolesOf = (wanted: Membership): readonly MemberRole[] =>
    own.filter(([, membership]) => membership === wanted).map(([role]) => role);
  const accepted = highestRole(rolesOf('accepted'));
  if (accepted !== undefined) return { role: accepted, membership: 'accepted' };
  return { role: highestRole(rolesOf('invited')) ?? 'analyst', membership: 'invited' };
}

function settingsOf({ name, suspended, hourly_limit, quotas }: WorkspaceResource): readonly unknown[] {
  return [name, suspended, hourly_limit, changedQuotas(quotas)];
}

async function firstWorkspace(
  client: Queryable,
  sql: string,
  workspaceId: string,
): Promise<WorkspaceResource | undefined> {
  const { rows } = await client.query<WorkspaceRow>(sql, [workspaceId]);
  return rows.map(toWorkspace)[0];
}

function toWorkspace(row: WorkspaceRow): WorkspaceResource {
  return {
    id: row.workspace_id,
    name: row.name,
    suspended: row.is_suspended,
    hourly_limit: row.hourly_limit,
    quotas: quotasOf(row.quotas),
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Empties a deleted workspace's row, which stays with its id and the time of its deletion. */
export async function emptyDeletedWorkspace(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(`update workspaces set name = '' where workspace_id = $1 and deleted_at is not null`, [
    workspaceId,
  ]);
}
