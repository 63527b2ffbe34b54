import type { OwnWorkspace } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { pageOfWorkspaces } from '../storage/workspace.store.js';

export function listWorkspaces(client: Queryable, query: ResourceQuery): Promise<Reply<Page<OwnWorkspace>>> {
  return pageOfWorkspaces(client, query, query.actor ?? { sub: null, email: null });
}
