import { randomUUID } from 'node:crypto';
import type { RecordedAuditFact } from '@truetally/contracts/facts';
import type { AuditEntryResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { type Queryable, readPage } from '@truetally/resource';
import type { AuditEntry } from '@truetally/service';
import type { ClientBase } from 'pg';

/** Prepared once per connection: every change runs it. */
const INSERT = {
  name: 'audit-log-append',
  text: `insert into audit_log (audit_id, workspace_id, at, actor, action, resource, resource_id)
    values ($1, $2, $3, $4, $5, $6, $7)`,
};

export async function appendToAuditLog(client: ClientBase, entry: AuditEntry): Promise<void> {
  await client.query({
    ...INSERT,
    values: [
      randomUUID(),
      entry.workspaceId,
      new Date(entry.atMs),
      entry.actor ?? null,
      entry.action,
      entry.resource,
      entry.resourceId,
    ],
  });
}

/**
 * Only for a workspace that is locked meanwhile: a deleted one gets no entries, and its deletion finds all
 * earlier ones.
 */
const KEEP = `
  insert into audit_log (audit_id, workspace_id, at, actor, action, resource, resource_id)
  select said.*
  from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[], $6::text[], $7::uuid[])
    as said (audit_id, workspace_id, at, actor, action, resource, resource_id)
  join (
    select workspace_id from workspaces
    where workspace_id = any($2::uuid[]) and deleted_at is null order by workspace_id for share
  ) living using (workspace_id)
  on conflict do nothing`;

/** Stores the entries of other services. The id makes repetitions harmless. */
export async function keepRecordedAudit(
  client: Queryable,
  entries: readonly RecordedAuditFact[],
): Promise<void> {
  await client.query(KEEP, [
    entries.map((entry) => entry.audit_id),
    entries.map((entry) => entry.workspace_id),
    entries.map((entry) => entry.at),
    entries.map((entry) => entry.actor),
    entries.map((entry) => entry.action),
    entries.map((entry) => entry.resource),
    entries.map((entry) => entry.resource_id),
  ]);
}

interface AuditRow {
  readonly audit_id: string;
  readonly at: Date;
  readonly actor: string | null;
  readonly action: string;
  readonly resource: string;
  readonly resource_id: string;
}

type ListedEntry = Omit<AuditEntryResource, 'at'> & { readonly created_at: string };

/** The filters' columns, the most selective first; each has an index. */
const FILTER_COLUMNS = ['resource_id', 'actor', 'resource'] as const;

export async function pageOfAuditLog(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<Page<AuditEntryResource>>> {
  const [first, ...others] = FILTER_COLUMNS.filter((column) => query.filters[column] !== undefined);
  const page = await readPage<AuditRow, ListedEntry>(client, query, {
    columns: 'audit_id, at, actor, action, resource, resource_id',
    from: 'audit_log',
    idColumn: 'audit_id',
    createdColumn: 'at',
    where: ['workspace_id = $1', ...others.map((column, index) => `${column} = $${index + 2}`)],
    values: [query.workspace_id, ...others.map((column) => query.filters[column])],
    narrowing: first === undefined ? [] : [{ column: first, value: query.filters[first] }],
    toResource: ({ audit_id, at, ...entry }) => ({ id: audit_id, created_at: at.toISOString(), ...entry }),
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
