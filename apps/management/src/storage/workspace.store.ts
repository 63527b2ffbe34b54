import { highestRole, type MemberRole, type Membership } from '@truetally/contracts/facts';
import {
  type OwnWorkspace,
  type Quotas,
  quotasOf,
  changedQuotas,
  type WorkspaceResource,
} from '@truetally/contracts/management';
import type { Actor, ResourceQuery } from '@truetally/contracts/resource';
import { tableOf } from '@truetally/persistence';
import { listingOf, type Queryable, readPage } from '@truetally/resource';
import type { ClientBase, QueryResultRow } from 'pg';
import { OWN_MEMBERSHIP } from './own-membership.js';

/** Only quotas that were changed are stored. */
interface WorkspaceRecord extends Omit<WorkspaceResource, 'quotas'> {
  readonly quotas: Partial<Quotas>;
}

const ALL_WORKSPACES = tableOf<WorkspaceRecord & { readonly created_by: string }>('workspaces', 'id', {
  id: ['workspace_id', 'uuid'],
  name: 'text',
  suspended: ['is_suspended', 'boolean'],
  hourly_limit: 'integer',
  quotas: 'jsonb',
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
  created_by: 'text',
});
const WORKSPACES = ALL_WORKSPACES.without('created_by');
const CHANGING = WORKSPACES.without('created_at');

/** A deleted workspace counts as unknown. */
const LIVE_WORKSPACE = `select ${WORKSPACES.selection()} from workspaces where workspace_id = $1 and deleted_at is null`;

/** Whether it was deleted. */
export async function isWorkspaceGone(client: Queryable, workspaceId: string): Promise<boolean> {
  const { rows } = await client.query(
    'select from workspaces where workspace_id = $1 and deleted_at is null',
    [workspaceId],
  );
  return rows.length === 0;
}

/** @param createdBy the creator's subject */
export async function insertWorkspace(
  client: ClientBase,
  workspace: WorkspaceResource,
  createdBy: string,
): Promise<void> {
  await client.query(ALL_WORKSPACES.insert({ ...recordOf(workspace), created_by: createdBy }));
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
  const { rows } = await client.query(
    `select ${WORKSPACES.selection()} from workspaces where workspace_id = any($1) and deleted_at is null
     order by workspace_id for share`,
    [[...new Set(workspaceIds)]],
  );
  return new Map(rows.map(toWorkspace).map((workspace) => [workspace.id, workspace]));
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
  await client.query(CHANGING.update(workspace.id, recordOf(workspace)));
}

/** From here on queries do not find the workspace. */
export async function markWorkspaceDeleted(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query('update workspaces set deleted_at = clock_timestamp() where workspace_id = $1', [
    workspaceId,
  ]);
}

interface OwnWorkspaceRow extends QueryResultRow {
  readonly own: readonly [MemberRole, Membership][];
}

/** The workspaces that a person is a member of, or invited to, by either name. */
export function pageOfWorkspaces(
  client: Queryable,
  query: ResourceQuery,
  { sub, email }: Pick<Actor, 'sub' | 'email'>,
) {
  return readPage<OwnWorkspaceRow, OwnWorkspace>(client, query, {
    ...listingOf(WORKSPACES),
    columns: `${WORKSPACES.selection()}, (select jsonb_agg(jsonb_build_array(role, membership)) from members
      where members.workspace_id = workspaces.workspace_id and ${OWN_MEMBERSHIP}) as own`,
    where: [
      'deleted_at is null',
      `workspace_id in (select workspace_id from members where subject = $1
         union select workspace_id from members where email = $2 and subject is null)`,
    ],
    values: [sub, email],
    toResource: (row) => ({ ...toWorkspace(row), ...standingOf(row.own) }),
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

async function firstWorkspace(
  client: Queryable,
  sql: string,
  workspaceId: string,
): Promise<WorkspaceResource | undefined> {
  const { rows } = await client.query(sql, [workspaceId]);
  return rows.map(toWorkspace)[0];
}

function recordOf(workspace: WorkspaceResource): WorkspaceRecord {
  return { ...workspace, quotas: changedQuotas(workspace.quotas) };
}

function toWorkspace(row: QueryResultRow): WorkspaceResource {
  const workspace = WORKSPACES.read(row);
  return { ...workspace, quotas: quotasOf(workspace.quotas) };
}

/** Empties a deleted workspace's row, which stays with its id and the time of its deletion. */
export async function emptyDeletedWorkspace(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(
    `update workspaces set name = '', created_by = null where workspace_id = $1 and deleted_at is not null`,
    [workspaceId],
  );
}
