import type { StoredMedia } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { tableOf } from '@truetally/persistence';
import { listingOf, type Queryable, readPage } from '@truetally/resource';
import type { ClientBase } from 'pg';

interface MediaRecord extends StoredMedia {
  readonly workspace_id: string;
}

const ALL_MEDIA = tableOf<MediaRecord>('media', 'id', {
  workspace_id: 'uuid',
  id: ['media_id', 'uuid'],
  file: 'text',
  width: 'integer',
  height: 'integer',
  bytes: 'integer',
  content_type: 'text',
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
});
const MEDIA = ALL_MEDIA.without('workspace_id');
const OF_WORKSPACE = `select ${MEDIA.selection()} from media where workspace_id = $1 and media_id = $2`;

export async function insertMedia(
  client: ClientBase,
  workspaceId: string,
  media: StoredMedia,
): Promise<void> {
  await client.query(ALL_MEDIA.insert({ ...media, workspace_id: workspaceId }));
}

export async function findMedia(
  client: Queryable,
  workspaceId: string,
  mediaId: string,
): Promise<StoredMedia | undefined> {
  const { rows } = await client.query(OF_WORKSPACE, [workspaceId, mediaId]);
  return rows.map(MEDIA.read)[0];
}

/** The same for its deletion: a concurrent one waits, and then finds nothing. */
export async function lockMedia(
  client: ClientBase,
  workspaceId: string,
  mediaId: string,
): Promise<StoredMedia | undefined> {
  const { rows } = await client.query(`${OF_WORKSPACE} for update`, [workspaceId, mediaId]);
  return rows.map(MEDIA.read)[0];
}

export function pageOfMedia(client: Queryable, query: ResourceQuery) {
  return readPage(client, query, {
    ...listingOf(MEDIA),
    where: ['workspace_id = $1'],
    values: [query.workspace_id],
  });
}

/** Deletes the row, and schedules its file's deletion unless another row refers to it. */
export async function removeMedia(client: ClientBase, { id, file }: StoredMedia): Promise<void> {
  await client.query(MEDIA.delete(id));
  await client.query(`insert into media_file_checks (file, check_at) values ($1, now()) ${CHECK_NOW}`, [
    file,
  ]);
}

/** The same for a deleted workspace, at most so many at a time. @returns how many */
export async function eraseMediaOfWorkspace(
  client: ClientBase,
  workspaceId: string,
  limit: number,
): Promise<number> {
  const { rows } = await client.query<{ erased: number }>(
    `with gone as (
       delete from media where media_id = any (array(
         select media_id from media where workspace_id = $1 order by media_id limit $2))
       returning file),
     checks as (
       insert into media_file_checks (file, check_at)
       select distinct file, now() from gone order by file ${CHECK_NOW})
     select count(*)::integer as erased from gone`,
    [workspaceId, limit],
  );
  return rows[0]?.erased ?? 0;
}

const CHECK_NOW = 'on conflict (file) do update set check_at = excluded.check_at';
