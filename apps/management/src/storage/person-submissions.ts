import type { ClientBase } from 'pg';
import type { OpenErasure } from './erasure.store.js';

/** Submissions that one piece deletes by session, and that one piece reads. */
const DELETED_PER_PIECE = 1_000;
const READ_PER_PIECE = 2_000;
const SESSIONS = /^sessions\/(\d+)$/;
const PLACE = /^fields\/([^/]+)\/([0-9a-f-]{36})$/;
const NEWEST = 'fields/infinity/ffffffff-ffff-ffff-ffff-ffffffffffff';

/** How many a piece has deleted, and the cursor of the next one. */
export interface ErasedSubmissions {
  readonly erased: number;
  readonly next: string | null;
}

/**
 * Deletes a person's submissions in pieces: those of sessions that were theirs, and then those in which a field, or anything
 * within it, is their id or e-mail address.
 */
export async function eraseSubmissionsOfPerson(
  client: ClientBase,
  erasure: OpenErasure,
  cursor: string | null,
): Promise<ErasedSubmissions> {
  const piece = SESSIONS.exec(cursor ?? 'sessions/0');
  if (piece !== null) return eraseOfSessions(client, erasure, Number(piece[1]));
  const [, at = '', id = ''] = PLACE.exec(cursor ?? '') ?? [];
  if (id === '') throw new Error('The cursor is none of these steps’.');
  return eraseByFields(client, erasure, { at, id });
}

async function eraseOfSessions(
  client: ClientBase,
  { erasureId, siteId }: OpenErasure,
  piece: number,
): Promise<ErasedSubmissions> {
  const { rowCount } = await client.query(
    `delete from submissions where id = any (array(
       select submissions.id from erasure_subjects
       join submissions on site_id = $2 and session_id = substr(subject, length('session:') + 1)
       where erasure_id = $1 and starts_with(subject, 'session:') limit $3))`,
    [erasureId, siteId, DELETED_PER_PIECE],
  );
  const erased = rowCount ?? 0;
  return { erased, next: erased === DELETED_PER_PIECE ? `sessions/${piece + 1}` : NEWEST };
}

/** Of `json`: `jsonb` refuses numbers that `json` keeps, and one such submission would end every erasure of its site. */
const BY_FIELDS = `
  with recursive page as (
    select id, created_at, fields from submissions where site_id = $1 and (created_at, id) < ($2::timestamptz, $3::uuid)
    order by created_at desc, id desc limit $4
  ), found(id, value) as (
    select id, fields from page
    union all
    select found.id, within.value from found, lateral (
      select value from json_each(case json_typeof(found.value) when 'object' then found.value end)
      union all select value from json_array_elements(case json_typeof(found.value) when 'array' then found.value end)
    ) as within
  ), gone as (
    delete from submissions where id in (
      select id from found where json_typeof(value) not in ('object', 'array')
      and lower(trim(value #>> '{}')) in (lower($5), lower($6)))
    returning id
  )
  select (select count(*) from page)::integer as read, (select count(*) from gone)::integer as erased,
    (select created_at::text from page order by created_at, id limit 1) as at,
    (select id from page order by created_at, id limit 1) as id`;

async function eraseByFields(
  client: ClientBase,
  { siteId, userId, email }: OpenErasure,
  from: { readonly at: string; readonly id: string },
): Promise<ErasedSubmissions> {
  const { rows } = await client.query<{ read: number; erased: number; at: string | null; id: string | null }>(
    BY_FIELDS,
    [siteId, from.at, from.id, READ_PER_PIECE, userId, email],
  );
  const { read = 0, erased = 0, at = null, id = null } = rows[0] ?? {};
  return { erased, next: read < READ_PER_PIECE || at === null ? null : `fields/${at}/${String(id)}` };
}
