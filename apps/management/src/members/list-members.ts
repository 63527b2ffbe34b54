import type { ManagementQuery, MemberResource, Page } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { pageOfMembers } from '../storage/member.store.js';
import type { Queryable } from '../storage/page.js';

export function listMembers(client: Queryable, query: ManagementQuery): Promise<Reply<Page<MemberResource>>> {
  return pageOfMembers(client, query);
}
