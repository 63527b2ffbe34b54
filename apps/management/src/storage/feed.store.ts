import type { FeedAccess, FeedRun } from '@truetally/contracts/management';
import type { ClientBase } from 'pg';

interface FeedOfJob {
  readonly site_id: string;
  readonly workspace_id: string;
  readonly url: string;
  readonly key_id: string;
  readonly sealed: string;
  readonly version: number;
}

/** Undefined when the job has ended, or its integration or site is gone. The integration is locked against a change. */
async function feedOfJob(client: ClientBase, run: FeedRun): Promise<FeedOfJob | undefined> {
  const { rows } = await client.query<FeedOfJob>(
    `select i.site_id, i.workspace_id, i.base_url as url, i.key_id, encode(i.sealed, 'base64') as sealed, i.version
     from integrations i
     join sites s on s.site_id = i.site_id and s.deleted_at is null
     join jobs j on j.job_id = $1 and j.finished_at is null and j.type = 'products.sync'
       and j.params->'integration_ids' ? i.id::text
     where i.id = $2 and i.provider = 'product_feed' for share of i`,
    [run.job_id, run.integration_id],
  );
  return rows[0];
}

/** Begins a reading: from now on nothing of an earlier one is taken. */
export async function beginRun(
  client: ClientBase,
  run: FeedRun,
): Promise<FeedAccess | 'another-job' | 'gone'> {
  const feed = await feedOfJob(client, run);
  if (feed === undefined) return 'gone';
  const { site_id, workspace_id, url, key_id, sealed, version } = feed;
  // Of another job only when that one has ended: two jobs that took the feed from each other would never end.
  const { rows } = await client.query<{ etag: string | null; last_modified: string | null }>(
    `insert into feeds as known (integration_id, workspace_id, site_id, job_id, run_id, run_version)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (integration_id) do update set
       job_id = excluded.job_id, run_id = excluded.run_id, run_version = excluded.run_version,
       sequence = 0, is_read = false, run_etag = null, run_last_modified = null
     where known.job_id = excluded.job_id or not exists (
       select from jobs where jobs.job_id = known.job_id and finished_at is null)
     returning case when validated_version = $6 then etag end as etag,
       case when validated_version = $6 then last_modified end as last_modified`,
    [run.integration_id, workspace_id, site_id, run.job_id, run.run_id, version],
  );
  const [begun] = rows;
  return begun === undefined ? 'another-job' : { url, credentials: { key_id, sealed }, ...begun };
}

/** A feed with a reading under way. */
export interface ReadingFeed {
  readonly siteId: string;
  readonly workspaceId: string;
  readonly sequence: number;
}

export async function siteOfFeed(
  client: ClientBase,
  integrationId: string,
): Promise<{ readonly siteId: string; readonly workspaceId: string } | undefined> {
  const { rows } = await client.query<{ site_id: string; workspace_id: string }>(
    'select site_id, workspace_id from feeds where integration_id = $1',
    [integrationId],
  );
  return rows.map(({ site_id, workspace_id }) => ({ siteId: site_id, workspaceId: workspace_id }))[0];
}

/**
 * Locks the feed; undefined unless this reading is the one that is under way, for a job that has not ended, by the settings that the
 * integration has: by others it begins anew.
 */
export async function lockReading(client: ClientBase, run: FeedRun): Promise<ReadingFeed | undefined> {
  const { rows } = await client.query<{ sequence: number; run_version: number }>(
    'select sequence, run_version from feeds where integration_id = $1 and job_id = $2 and run_id = $3 for update',
    [run.integration_id, run.job_id, run.run_id],
  );
  const [reading] = rows;
  const feed = reading === undefined ? undefined : await feedOfJob(client, run);
  if (reading === undefined || feed === undefined || reading.run_version !== feed.version) return undefined;
  return { siteId: feed.site_id, workspaceId: feed.workspace_id, sequence: reading.sequence };
}

/** What the server said of the feed. */
export interface Validators {
  readonly etag: string | null;
  readonly last_modified: string | null;
}

/** @param read what to ask the server with the next time, when the feed was read to its end */
export async function storeProgress(
  client: ClientBase,
  integrationId: string,
  sequence: number,
  read: Validators | undefined,
): Promise<void> {
  await client.query(
    `update feeds set sequence = $2, is_read = $3, run_etag = $4, run_last_modified = $5 where integration_id = $1`,
    [integrationId, sequence, read !== undefined, read?.etag ?? null, read?.last_modified ?? null],
  );
}

/** A feed that a job has read. */
export interface ReadFeed {
  readonly siteId: string;
  readonly runId: string;
  /** False when it was unchanged, or its settings have changed since. */
  readonly isRead: boolean;
}

/** Locks it; undefined when it is gone, or another job has it. */
export async function lockReadFeed(
  client: ClientBase,
  integrationId: string,
  jobId: string,
): Promise<ReadFeed | undefined> {
  const { rows } = await client.query<{ site_id: string; run_id: string; is_read: boolean }>(
    `select site_id, run_id, is_read and exists (
       select from integrations where id = integration_id and version = run_version) as is_read
     from feeds where integration_id = $1 and job_id = $2 for update`,
    [integrationId, jobId],
  );
  return rows.map(({ site_id, run_id, is_read }) => ({ siteId: site_id, runId: run_id, isRead: is_read }))[0];
}

/** From now on an unchanged feed is not read again. Last of all: before, a job that is cancelled leaves work behind. */
export async function keepValidators(client: ClientBase, integrationId: string): Promise<void> {
  await client.query(
    `update feeds set etag = run_etag, last_modified = run_last_modified, validated_version = run_version
     where integration_id = $1`,
    [integrationId],
  );
}
