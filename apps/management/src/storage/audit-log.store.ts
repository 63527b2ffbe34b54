import { randomUUID } from 'node:crypto';
import type { AuditEntryResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { type AuditEntry, type Queryable, readPage } from '@truetally/resource';
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

interface AuditRow {
  readonly audit_id: string;
  readonly at: Date;
  readonly actor: string | null;
  readonly action: string;
  readonly resource: string;
  readonly resource_id: string;
}

type ListedEntry = Omit<AuditEntryResource, 'at'> & { readonly created_at: string };

/** What filters narrow, the one that leaves the fewest first; every one of them has an index of its own. */
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
