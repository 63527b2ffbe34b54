import type { WorkflowResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import { paramOf, type Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { sitesAskedFor } from '../storage/site.store.js';
import { findWorkflow, pageOfWorkflows } from '../storage/workflow.store.js';

export async function readWorkflow(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<WorkflowResource>> {
  const workflow = await findWorkflow(client, query.workspace_id, paramOf(query.params, 'id'));
  return workflow === undefined ? refusals.noWorkflow() : { ok: workflow };
}

export async function listWorkflows(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<Page<WorkflowResource>>> {
  const siteIds = await sitesAskedFor(client, query);
  return siteIds === undefined ? refusals.noSite() : pageOfWorkflows(client, query, siteIds);
}
