import type { ClientBase } from 'pg';
import type { Workspace } from '../domain/workspace.js';

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

export async function insertWorkspace(client: ClientBase, workspace: Workspace): Promise<void> {
  await client.query(`insert into workspaces (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7)`, [
    workspace.workspaceId,
    workspace.name,
    workspace.isSuspended,
    workspace.hourlyLimit,
    workspace.version,
    new Date(workspace.createdAtMs),
    new Date(workspace.updatedAtMs),
  ]);
}

/** Holds changes to the workspace's state off until this transaction ends, and lets other readers pass. */
export async function holdWorkspace(client: ClientBase, workspaceId: string): Promise<Workspace | undefined> {
  return firstWorkspace(client, `${LIVE_WORKSPACE} for share`, workspaceId);
}

/** Several at once, in the order of their ids, so that two who hold some of the same never wait for each other. */
export async function holdWorkspaces(
  client: ClientBase,
  workspaceIds: readonly string[],
): Promise<ReadonlyMap<string, Workspace>> {
  const { rows } = await client.query<WorkspaceRow>(
    `select ${COLUMNS} from workspaces where workspace_id = any($1) and deleted_at is null
     order by workspace_id for share`,
    [[...new Set(workspaceIds)]],
  );
  return new Map(rows.map((row) => [row.workspace_id, toWorkspace(row)]));
}

/** For a change: everything that reports the workspace's state waits until this transaction ends. */
export async function lockWorkspace(client: ClientBase, workspaceId: string): Promise<Workspace | undefined> {
  return firstWorkspace(client, `${LIVE_WORKSPACE} for update`, workspaceId);
}

export async function updateWorkspace(client: ClientBase, workspace: Workspace): Promise<void> {
  await client.query(
    `update workspaces set name = $2, is_suspended = $3, version = $4, updated_at = $5 where workspace_id = $1`,
    [
      workspace.workspaceId,
      workspace.name,
      workspace.isSuspended,
      workspace.version,
      new Date(workspace.updatedAtMs),
    ],
  );
}

/** From here on nobody finds the workspace any more. */
export async function markWorkspaceDeleted(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query('update workspaces set deleted_at = clock_timestamp() where workspace_id = $1', [
    workspaceId,
  ]);
}

async function firstWorkspace(
  client: ClientBase,
  sql: string,
  workspaceId: string,
): Promise<Workspace | undefined> {
  const { rows } = await client.query<WorkspaceRow>(sql, [workspaceId]);
  return rows.map(toWorkspace)[0];
}

function toWorkspace(row: WorkspaceRow): Workspace {
  return {
    workspaceId: row.workspace_id,
    name: row.name,
    isSuspended: row.is_suspended,
    hourlyLimit: row.hourly_limit,
    version: row.version,
    createdAtMs: row.created_at.getTime(),
    updatedAtMs: row.updated_at.getTime(),
  };
}
