import { type MemberResource, readMember as readMemberBody } from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { memberFact } from '../domain/facts.js';
import { faultOf } from '../domain/membership.js';
import { refusals } from '../domain/refusals.js';
import { countOwners, insertMember } from '../storage/member.store.js';
import { exceedsRecords } from '../storage/held-records.store.js';
import { exceeds } from '../storage/quota.store.js';
import { actingMember } from './acting-member.js';

/** Invites a person, who becomes a member by accepting. */
export async function createMember(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs, newId }: CommandContext,
): Promise<Outcome> {
  const fields = readMemberBody(command.body);
  if (!fields.ok) return refusals.invalid(fields.error);
  const acting = await actingMember(client, command);
  if (acting === undefined) return refusals.noWorkspace();
  const { workspace, role: by } = acting;
  const owners = await countOwners(client, workspace.id);
  const fault = faultOf({
    by,
    isOwn: false,
    from: null,
    membership: 'invited',
    to: fields.value.role,
    owners,
  });
  if (fault !== undefined) return refusals[fault]();
  const exceeded =
    (await exceeds(client, 'members', { workspaceId: workspace.id })) ??
    (await exceedsRecords(client, workspace.id));
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const member: MemberResource = {
    ...newResource(newId(), nowMs),
    workspace_id: workspace.id,
    ...fields.value,
    membership: 'invited',
  };
  const isNew = await insertMember(client, member);
  if (!isNew) return refusals.memberTaken(member.sub === null ? 'email' : 'sub');
  return {
    ok: member,
    facts: [memberFact(member, workspace)],
    audit: { action: 'create', resource: 'member', resourceId: member.id },
  };
}
