import type { MemberResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findMember } from '../storage/member.store.js';

export async function readMember(client: Queryable, query: ResourceQuery): Promise<Reply<MemberResource>> {
  const member = await findMember(client, query.workspace_id, query.params['member_id']);
  return member === undefined ? refusals.noMember() : { ok: member };
}
