import { validateMemberRole } from '@truetally/contracts/management';
import { patchedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { patchFields } from '@truetally/kernel';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { memberFact } from '../domain/facts.js';
import { faultOf } from '../domain/membership.js';
import { refusals } from '../domain/refusals.js';
import { countOwners, findMember, storeMember } from '../storage/member.store.js';
import { actingMember } from './acting-member.js';

/** Changes a member's role; the person never changes. */
export async function updateMember(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const { params, version, body } = command;
  const acting = await actingMember(client, command);
  if (acting === undefined) return refusals.noWorkspace();
  const { workspace, role: by } = acting;
  const member = await findMember(client, workspace.id, params['member_id']);
  if (member === undefined) return refusals.noMember();
  if (isStale(version, member.version)) return refusals.staleVersion(member.version);
  const fields = validateMemberRole(patchFields({ role: member.role }, body));
  if (!fields.ok) return refusals.invalid(fields.error);
  const owners = await countOwners(client, workspace.id);
  const isOwn = acting.isSelf(member);
  const { role: from, membership } = member;
  const fault = faultOf({ by, isOwn, from, membership, to: fields.value.role, owners });
  if (fault !== undefined) return refusals[fault]();
  const changed = patchedResource(member, fields.value, nowMs);
  const isSame = changed === member;
  if (!isSame) await storeMember(client, changed);
  return {
    ok: changed,
    facts: isSame ? [] : [memberFact(changed, workspace)],
    audit: { action: 'update', resource: 'member', resourceId: member.id },
  };
}
