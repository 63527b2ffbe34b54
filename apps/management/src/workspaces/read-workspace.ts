import type { ManagementQuery, WorkspaceResource } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import type { Queryable } from '../storage/page.js';
import { findWorkspace } from '../storage/workspace.store.js';

export async function readWorkspace(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<WorkspaceResource>> {
  const workspace = await findWorkspace(client, query.workspace_id);
  return workspace === undefined ? refusals.noWorkspace() : { ok: workspace };
}
