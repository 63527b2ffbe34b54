import type { WorkspaceResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findWorkspace } from '../storage/workspace.store.js';

export async function readWorkspace(
  client: Queryable,
  query: ResourceQuery,
): Promise<Reply<WorkspaceResource>> {
  const workspace = await findWorkspace(client, query.workspace_id);
  return workspace === undefined ? refusals.noWorkspace() : { ok: workspace };
}
