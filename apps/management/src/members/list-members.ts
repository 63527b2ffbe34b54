import type { MemberResource } from '@truetally/contracts/management';
import type { Page, ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { pageOfMembers } from '../storage/member.store.js';

export function listMembers(client: Queryable, query: ResourceQuery): Promise<Reply<Page<MemberResource>>> {
  return pageOfMembers(client, query);
}
