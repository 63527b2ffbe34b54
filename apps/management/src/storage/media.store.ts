import type { MediaContentType, StoredMedia } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { type Queryable, readPage } from '@truetally/resource';
import type { ClientBase } from 'pg';

interface MediaRow {
  readonly media_id: string;
  readonly file: string;
  readonly content_type: MediaContentType;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = 'media_id, file, content_type, width, height, bytes, version, created_at, updated_at';

export async function insertMedia(
  client: ClientBase,
  workspaceId: string,
  media: StoredMedia,
): Promise<void> {
  await client.query(
    `insert into media (workspace_id, ${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      workspaceId,
      media.id,
      media.file,
      media.content_type,
      media.width,
      media.height,
      media.bytes,
      media.version,
      media.created_at,
      media.updated_at,
    ],
  );
}

const OF_WORKSPACE = `select ${COLUMNS} from media where workspace_id = $1 and media_id = $2`;

export async function findMedia(
  client: Queryable,
  workspaceId: string,
  mediaId: string,
): Promise<StoredMedia | undefined> {
  const { rows } = await client.query<MediaRow>(OF_WORKSPACE, [workspaceId, mediaId]);
  return rows.map(toMedia)[0];
}

/** The same for its deletion: a concurrent one waits, and then finds nothing. */
export async function lockMedia(
  client: ClientBase,
  workspaceId: string,
  mediaId: string,
): Promise<StoredMedia | undefined> {
  const { rows } = await client.query<MediaRow>(`${OF_WORKSPACE} for update`, [workspaceId, mediaId]);
  return rows.map(toMedia)[0];
}

export function pageOfMedia(client: Queryable, query: ResourceQuery) {
  return readPage<MediaRow, StoredMedia>(client, query, {
    columns: COLUMNS,
    from: 'media',
    idColumn: 'media_id',
    createdColumn: 'created_at',
    where: ['workspace_id = $1'],
    values: [query.workspace_id],
    toResource: toMedia,
  });
}

/** Deletes the row, and schedules its file's deletion unless another row refers to it. */
export async function removeMedia(client: ClientBase, { id, file }: StoredMedia): Promise<void> {
  await client.query('delete from media where media_id = $1', [id]);
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

function toMedia(row: MediaRow): StoredMedia {
  return {
    id: row.media_id,
    file: row.file,
    width: row.width,
    height: row.height,
    bytes: row.bytes,
    content_type: row.content_type,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
