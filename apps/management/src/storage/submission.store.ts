import type { SubmissionFieldNames, SubmissionResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { formatInstant, type Reply } from '@truetally/kernel';
import { tableOf } from '@truetally/persistence';
import { asJson, type Queryable, readPageOfSites, writePageOfSites } from '@truetally/resource';
import type { ClientBase } from 'pg';

const SUBMISSION_TABLE = tableOf<SubmissionResource & { readonly workspace_id: string }>(
  'submissions',
  'id',
  {
    id: 'uuid',
    workspace_id: 'uuid',
    site_id: 'uuid',
    campaign_id: 'uuid',
    session_id: 'text',
    fields: 'json',
    consent: 'json',
    version: 'integer',
    created_at: 'instant',
    updated_at: 'instant',
  },
);
const RESOURCES = SUBMISSION_TABLE.without('workspace_id');
const FIND = {
  name: 'submission-find',
  text: asJson(
    RESOURCES.members(),
    `select ${RESOURCES.selection()} from submissions where id = $2 and exists (
       select from sites where sites.site_id = submissions.site_id and workspace_id = $1 and deleted_at is null)`,
  ),
};

export async function insertSubmission(
  client: ClientBase,
  workspaceId: string,
  submission: SubmissionResource,
): Promise<void> {
  await client.query(SUBMISSION_TABLE.insert({ ...submission, workspace_id: workspaceId }));
}

/**
 * How many submissions of a session were stored since a time. Others of the session wait until this transaction
 * ends, so that none is stored beyond the limit.
 */
export async function countOfSession(
  client: ClientBase,
  { site_id: siteId, session_id: sessionId }: Pick<SubmissionResource, 'session_id' | 'site_id'>,
  sinceMs: number,
): Promise<number> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' submissions ' || $1 || ' ' || $2, 0))`,
    [siteId, sessionId],
  );
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::integer as count from submissions
     where site_id = $1 and session_id = $2 and created_at > $3`,
    [siteId, sessionId, new Date(sinceMs)],
  );
  return rows[0]?.count ?? 0;
}

/** A submission to an existing site of this workspace, as JSON text. */
export async function findSubmission(
  client: Queryable,
  workspaceId: string,
  id: string,
): Promise<string | undefined> {
  const { rows } = await client.query<{ json: string }>({ ...FIND, values: [workspaceId, id] });
  return rows[0]?.json;
}

/** A page of the submissions to these existing sites: the reply's text. */
export function pageOfSubmissions(client: Queryable, query: ResourceQuery, siteIds: readonly string[]) {
  return writePageOfSites(client, query, siteIds, {
    ...listed(query),
    columns: RESOURCES.selection(),
    members: RESOURCES.members(),
  });
}

function listed({ filters }: Pick<ResourceQuery, 'filters'>) {
  const { campaign_id: campaignId, session_id: sessionId } = filters;
  return {
    from: RESOURCES.name,
    idColumn: RESOURCES.key,
    createdColumn: 'created_at',
    where: sessionId === undefined ? [] : ['session_id = $1'],
    values: sessionId === undefined ? [] : [sessionId],
    narrowing: campaignId === undefined ? [] : [{ column: 'campaign_id', value: campaignId.toLowerCase() }],
  };
}

/** Some milliseconds of Postgres, with fields of 16 KiB some hundred. */
const NAMED_PER_PIECE = 1_000;
const MAX_FIELD_NAMES = 200;

/** The names of fields in some of the submissions of a list, newest first; at most 200. */
export async function fieldsOfSubmissions(
  client: Queryable,
  query: ResourceQuery,
  siteIds: readonly string[],
): Promise<Reply<SubmissionFieldNames>> {
  const piece = await readPageOfSites(client, { ...query, limit: NAMED_PER_PIECE }, siteIds, {
    ...listed(query),
    columns: 'id, created_at, array(select json_object_keys(fields)) as names',
    toResource: ({ id, created_at, names }: NamesRow) => ({
      id,
      created_at: formatInstant(created_at.getTime()),
      names,
    }),
  });
  if ('error' in piece) return piece;
  const { items, next_cursor } = piece.ok;
  const fields = [...new Set(items.flatMap(({ names }) => names))];
  return { ok: { fields: fields.slice(0, MAX_FIELD_NAMES), next_cursor } };
}

interface NamesRow {
  readonly id: string;
  readonly created_at: Date;
  readonly names: readonly string[];
}
