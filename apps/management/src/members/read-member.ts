import type { ManagementQuery, MemberResource } from '@truetally/contracts/management';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import { findMember } from '../storage/member.store.js';
import type { Queryable } from '../storage/page.js';

export async function readMember(client: Queryable, query: ManagementQuery): Promise<Reply<MemberResource>> {
  const member = await findMember(client, query.workspace_id, query.params['member_id']);
  return member === undefined ? refusals.noMember() : { ok: member };
}
