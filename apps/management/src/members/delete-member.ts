import type { ResourceCommand } from '@truetally/contracts/resource';
import { isStale, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { memberGoneFact } from '../domain/facts.js';
import { faultOf } from '../domain/membership.js';
import { refusals } from '../domain/refusals.js';
import { countOwners, findMember, removeMembers } from '../storage/member.store.js';
import { actingMember } from './acting-member.js';

/** Removes a member, or lets one leave. */
export async function deleteMember(client: ClientBase, command: ResourceCommand): Promise<Outcome> {
  const { params, version } = command;
  const acting = await actingMember(client, command);
  if (acting === undefined) return refusals.noWorkspace();
  const { workspace, role: by } = acting;
  const member = await findMember(client, workspace.id, params['member_id']);
  if (member === undefined) return refusals.noMember();
  if (isStale(version, member.version)) return refusals.staleVersion(member.version);
  const owners = await countOwners(client, workspace.id);
  const isOwn = acting.isSelf(member);
  const { role: from, membership } = member;
  const fault = faultOf({ by, isOwn, from, membership, to: null, owners });
  if (fault !== undefined) return refusals[fault]();
  await removeMembers(client, [member.id]);
  return {
    ok: { id: member.id, deleted: true },
    facts: [memberGoneFact(member)],
    audit: { action: 'delete', resource: 'member', resourceId: member.id },
  };
}
