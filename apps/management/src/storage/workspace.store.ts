import type { WorkspaceResource } from '@truetally/contracts/management';
import type { Actor, ResourceQuery } from '@truetally/contracts/resource';
import { type Queryable, readPage } from '@truetally/resource';
import type { ClientBase } from 'pg';

interface WorkspaceRow {
  readonly workspace_id: string;
  readonly name: string;
  readonly is_suspended: boolean;
  readonly hourly_limit: number;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = 'workspace_id, name, is_suspended, hourly_limit, version, created_at, updated_at';

/** One that is deleted is none. */
const LIVE_WORKSPACE = `select ${COLUMNS} from workspaces where workspace_id = $1 and deleted_at is null`;

export async function insertWorkspace(client: ClientBase, workspace: WorkspaceResource): Promise<void> {
  await client.query(`insert into workspaces (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7)`, [
    workspace.id,
    ...settingsOf(workspace),
    workspace.version,
    workspace.created_at,
    workspace.updated_at,
  ]);
}

export async function findWorkspace(
  client: Queryable,
  workspaceId: string,
): Promise<WorkspaceResource | undefined> {
  return firstWorkspace(client, LIVE_WORKSPACE, workspaceId);
}

/** Holds changes to the workspace's state off until this transaction ends, and lets other readers pass. */
export async function holdWorkspace(
  client: ClientBase,
  workspaceId: string,
): Promise<WorkspaceResource | undefined> {
  return firstWorkspace(client, `${LIVE_WORKSPACE} for share`, workspaceId);
}

/** Several at once, in the order of their ids, so that two who hold some of the same never wait for each other. */
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
 * For a change: everything that reports the workspace's state waits until this transaction ends. Not `for update`, which
 * foreign keys would wait for too: an audit entry is written by commands that hold a site, behind others that hold the
 * workspace and wait for that site.
 */
export async function lockWorkspace(
  client: ClientBase,
  workspaceId: string,
): Promise<WorkspaceResource | undefined> {
  return firstWorkspace(client, `${LIVE_WORKSPACE} for no key update`, workspaceId);
}

export async function storeWorkspace(client: ClientBase, workspace: WorkspaceResource): Promise<void> {
  await client.query(
    `update workspaces set name = $2, is_suspended = $3, hourly_limit = $4, version = $5, updated_at = $6
     where workspace_id = $1`,
    [workspace.id, ...settingsOf(workspace), workspace.version, workspace.updated_at],
  );
}

/** From here on nobody finds the workspace any more. */
export async function markWorkspaceDeleted(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query('update workspaces set deleted_at = clock_timestamp() where workspace_id = $1', [
    workspaceId,
  ]);
}

/** The workspaces that somebody is a member of, by either name. */
export function pageOfWorkspaces(
  client: Queryable,
  query: ResourceQuery,
  { sub, email }: Pick<Actor, 'sub' | 'email'>,
) {
  return readPage<WorkspaceRow, WorkspaceResource>(client, query, {
    columns: COLUMNS,
    from: 'workspaces',
    idColumn: 'workspace_id',
    createdColumn: 'created_at',
    where: [
      'deleted_at is null',
      `workspace_id in (select workspace_id from members where subject = $1
         union select workspace_id from members where email = $2)`,
    ],
    values: [sub, email],
    toResource: toWorkspace,
  });
}

function settingsOf({ name, suspended, hourly_limit }: WorkspaceResource): readonly unknown[] {
  return [name, suspended, hourly_limit];
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
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
