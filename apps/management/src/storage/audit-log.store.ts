import { randomUUID } from 'node:crypto';
import type { RecordedAuditFact } from '@truetally/contracts/facts';
import type { AuditEntryResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import { formatInstant, type Reply } from '@truetally/kernel';
import { tableOf } from '@truetally/persistence';
import { type Queryable, readPage } from '@truetally/resource';
import type { AuditEntry } from '@truetally/service';
import type { ClientBase, QueryResultRow } from 'pg';
import type { ChangedResources, NewerChange } from '../domain/newer-change.js';

const AUDIT_LOG = tableOf<RecordedAuditFact>('audit_log', 'audit_id', {
  audit_id: 'uuid',
  workspace_id: 'uuid',
  at: 'instant',
  actor: 'text',
  action: 'text',
  resource: 'text',
  resource_id: 'uuid',
});

export async function appendToAuditLog(client: ClientBase, entry: AuditEntry): Promise<void> {
  const insert = AUDIT_LOG.insert({
    audit_id: randomUUID(),
    workspace_id: entry.workspaceId,
    at: formatInstant(entry.atMs),
    actor: entry.actor ?? null,
    action: entry.action,
    resource: entry.resource,
    resource_id: entry.resourceId,
  });
  // Prepared once per connection: every change runs it.
  await client.query({ name: 'audit-log-append', ...insert });
}

/**
 * Only for a workspace that is locked meanwhile: a deleted one gets no entries, and its deletion finds all
 * earlier ones.
 */
const KEEP = `
  insert into audit_log (${AUDIT_LOG.columns})
  select given.* from ${AUDIT_LOG.given}
  join (
    select workspace_id from workspaces
    where workspace_id = any(${AUDIT_LOG.parameter('workspace_id')}::uuid[]) and deleted_at is null order by workspace_id for share
  ) living using (workspace_id)
  on conflict do nothing`;

/** Stores the entries of other services. The id makes repetitions harmless. */
export async function keepRecordedAudit(
  client: Queryable,
  entries: readonly RecordedAuditFact[],
): Promise<void> {
  await client.query(KEEP, AUDIT_LOG.arrays(entries));
}

const CHANGES = AUDIT_LOG.only('action', 'at', 'resource', 'resource_id');

/** The latest change of these resources after this instant. */
export async function newestChangeOf(
  client: Queryable,
  { workspaceId, ids, kinds }: ChangedResources,
  afterMs: number,
): Promise<NewerChange | undefined> {
  const { rows } = await client.query(
    `select ${CHANGES.selection()} from audit_log
     where workspace_id = $1 and at > $2 and (resource_id = any($3::uuid[]) or resource = any($4::text[]))
     order by audit_log.at desc limit 1`,
    [workspaceId, formatInstant(afterMs), ids, kinds],
  );
  return rows.map(CHANGES.read)[0];
}

const ENTRIES = AUDIT_LOG.without('workspace_id');
type ListedEntry = Omit<AuditEntryResource, 'at'> & { readonly created_at: string };

/** The filters' columns, the most selective first; each has an index. */
const FILTER_COLUMNS = ['resource_id', 'actor', 'resource'] as const;

export async function pageOfAuditLog(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<Page<AuditEntryResource>>> {
  const [first, ...others] = FILTER_COLUMNS.filter((column) => query.filters[column] !== undefined);
  const page = await readPage<QueryResultRow, ListedEntry>(client, query, {
    columns: ENTRIES.selection(),
    from: ENTRIES.name,
    idColumn: ENTRIES.key,
    createdColumn: 'at',
    where: ['workspace_id = $1', ...others.map((column, index) => `${column} = $${index + 2}`)],
    values: [query.workspace_id, ...others.map((column) => query.filters[column])],
    narrowing: first === undefined ? [] : [{ column: first, value: query.filters[first] }],
    toResource: (row) => {
      const { audit_id: id, at: created_at, ...entry } = ENTRIES.read(row);
      return { id, created_at, ...entry };
    },
  });
  if ('error' in page) return page;
  const items = page.ok.items.map(({ id, created_at, ...entry }) => ({ id, at: created_at, ...entry }));
  return { ok: { items, next_cursor: page.ok.next_cursor } };
}

/** Deletes at most `limit` entries of a deleted workspace, except that of its deletion. @returns how many */
export async function eraseAuditLogOfWorkspace(
  client: ClientBase,
  workspaceId: string,
  limit: number,
): Promise<number> {
  const { rowCount } = await client.query('select from erase_audit_log($1, $2)', [workspaceId, limit]);
  return rowCount ?? 0;
}
