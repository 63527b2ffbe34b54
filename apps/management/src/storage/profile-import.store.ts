import type { ImportRow } from '@truetally/contracts/management';
import { parseOwnJson } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import type { ClientBase } from 'pg';

/** The rows of one import, while its job is under way. */
export interface ProfileImport {
  readonly jobId: string;
  readonly workspaceId: string;
  readonly siteId: string;
  readonly rows: readonly ImportRow[];
}

export async function insertImport(
  client: ClientBase,
  { jobId, workspaceId, siteId, rows }: ProfileImport,
): Promise<void> {
  await client.query(
    'insert into profile_imports (job_id, workspace_id, site_id, rows) values ($1, $2, $3, $4)',
    [jobId, workspaceId, siteId, JSON.stringify(rows)],
  );
}

/** Undefined when it is done. Numbers keep all their digits. */
export async function readImport(client: ClientBase, jobId: string): Promise<ProfileImport | undefined> {
  const { rows } = await client.query<{ workspace_id: string; site_id: string; rows: string }>(
    'select workspace_id, site_id, rows::text as rows from profile_imports where job_id = $1',
    [jobId],
  );
  const [found] = rows;
  if (found === undefined) return undefined;
  // Written only by the command that created the job.
  const parsed = parseOwnJson(found.rows) as readonly ImportRow[];
  return { jobId, workspaceId: found.workspace_id, siteId: found.site_id, rows: parsed };
}

/** Without its rows. */
export async function findImportSite(client: ClientBase, jobId: string): Promise<string | undefined> {
  const { rows } = await client.query<{ site_id: string }>(
    'select site_id from profile_imports where job_id = $1',
    [jobId],
  );
  return rows[0]?.site_id;
}

export async function removeImport(client: ClientBase, jobId: string): Promise<void> {
  await client.query('delete from profile_imports where job_id = $1', [jobId]);
}

const SOME = 100;

/** Deletes the rows of some imports whose job has ended: of cancelled ones. @returns whether there may be more */
export async function forgetEndedImports(client: Queryable): Promise<boolean> {
  const { rowCount } = await client.query(
    `delete from profile_imports where job_id = any (array(
       select job_id from profile_imports i where not exists (
         select from jobs where jobs.job_id = i.job_id and finished_at is null) limit ${SOME}))`,
  );
  return rowCount === SOME;
}

/** Whether rows of an import of the site wait that was received before a time; those of ended jobs are deleted. */
export async function importsBefore(client: ClientBase, siteId: string, beforeMs: number): Promise<boolean> {
  await client.query(
    `delete from profile_imports i where site_id = $1 and not exists (
       select from jobs where jobs.job_id = i.job_id and finished_at is null)`,
    [siteId],
  );
  const { rowCount } = await client.query(
    // Postgres' times have microseconds, those of commands have none.
    'select from profile_imports where site_id = $1 and received_at < $2 limit 1',
    [siteId, new Date(beforeMs + 1)],
  );
  return rowCount !== 0;
}
