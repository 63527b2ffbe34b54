import type { PublishedWorkflow, WorkflowResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { tableOf } from '@truetally/persistence';
import { listingOf, type Queryable, readPageOfSites } from '@truetally/resource';
import type { ClientBase } from 'pg';

/** A workflow with what clients do not read: its sealed secrets. */
export interface StoredWorkflow extends WorkflowResource, PublishedWorkflow {}

export const WORKFLOWS = tableOf<StoredWorkflow>('workflows', 'id', {
  id: 'uuid',
  workspace_id: 'uuid',
  site_id: 'uuid',
  name: 'text',
  trigger: 'json',
  action: 'json',
  enabled: 'boolean',
  disabled_reason: 'text',
  last_delivered_at: 'instant',
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
  key_id: 'text',
  sealed: 'base64',
  former_secrets: 'json',
  effective_from: 'instant',
});
/** Queries for answers never read the secrets. */
const RESOURCES = WORKFLOWS.without('key_id', 'sealed', 'former_secrets', 'effective_from');
const CHANGING = WORKFLOWS.without('workspace_id', 'site_id', 'created_at', 'last_delivered_at');

/** Data of a deleted site counts as deleted, even before a job has erased it. */
const SITE_LIVES = `exists (
  select from sites where sites.site_id = workflows.site_id and sites.deleted_at is null)`;

export async function insertWorkflow(client: ClientBase, workflow: StoredWorkflow): Promise<void> {
  await client.query(WORKFLOWS.insert(workflow));
}

/** A workflow of an existing site of this workspace. */
export async function findWorkflow(
  client: Queryable,
  workspaceId: string,
  id: string,
): Promise<WorkflowResource | undefined> {
  const { rows } = await client.query(
    `select ${RESOURCES.selection()} from workflows where workspace_id = $1 and id = $2 and ${SITE_LIVES}`,
    [workspaceId, id],
  );
  return rows.map(RESOURCES.read)[0];
}

export async function storeWorkflow(client: ClientBase, workflow: StoredWorkflow): Promise<void> {
  await client.query(CHANGING.update(workflow.id, workflow));
}

/** An older outcome does not replace a newer one. */
export async function storeLastDelivery(client: ClientBase, id: string, at: string): Promise<void> {
  await client.query(
    `update workflows set last_delivered_at = greatest(coalesce(last_delivered_at, $2), $2) where id = $1`,
    [id, at],
  );
}

/** A page of the workflows of these existing sites. */
export function pageOfWorkflows(client: Queryable, query: ResourceQuery, siteIds: readonly string[]) {
  return readPageOfSites(client, query, siteIds, { ...listingOf(RESOURCES), where: [], values: [] });
}

/** How many workflows a site has, locked against additions until this transaction ends. */
export async function countWorkflows(client: ClientBase, siteId: string): Promise<number> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' workflows ' || $1, 0))`,
    [siteId],
  );
  const { rows } = await client.query<{ readonly used: number }>(
    'select count(*)::integer as used from workflows where site_id = $1',
    [siteId],
  );
  return rows[0]?.used ?? 0;
}

/**
 * Workflows of all sites in the order of their ids, locked until the transaction ends, so that their published state stays true
 * until it is in the outbox.
 */
export async function holdWorkflows(
  client: ClientBase,
  afterId: string,
  limit: number,
): Promise<readonly StoredWorkflow[]> {
  const { rows } = await client.query(
    `select ${WORKFLOWS.selection()} from workflows where id > $1 and ${SITE_LIVES} order by id limit $2 for share`,
    [afterId, limit],
  );
  return rows.map(WORKFLOWS.read);
}

/** Which of these workflows do not exist, or are on a deleted site. */
export async function withoutWorkflow(
  client: ClientBase,
  ids: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly id: string }>(
    `select id from unnest($1::uuid[]) as known (id)
     where not exists (select from workflows where workflows.id = known.id and ${SITE_LIVES})`,
    [ids],
  );
  return rows.map((row) => row.id);
}

/** Deletes at most `limit` workflows of a site. @returns their ids; fewer than `limit` when none is left */
export async function eraseWorkflowsOfSite(
  client: ClientBase,
  siteId: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly id: string }>(
    `delete from workflows where id in (select id from workflows where site_id = $1 order by id limit $2 for update)
     returning id`,
    [siteId, limit],
  );
  return rows.map((row) => row.id);
}
