import type { ManagementQuery, Page, WorkspaceResource } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '../storage/page.js';
import { pageOfWorkspaces } from '../storage/workspace.store.js';

export function listWorkspaces(
  client: Queryable,
  query: ManagementQuery,
): Promise<Reply<Page<WorkspaceResource>>> {
  return pageOfWorkspaces(client, query, query.actor ?? { sub: null, email: null });
}
