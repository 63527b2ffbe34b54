import { memberKey } from '@truetally/contracts/facts';
import { changedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import { type CommandContext, type Outcome, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { memberFact, memberGoneFact } from '../domain/facts.js';
import { acceptedMember } from '../domain/membership.js';
import { refusals } from '../domain/refusals.js';
import { membershipsOf, removeMembers, storeMember } from '../storage/member.store.js';
import { lockWorkspace } from '../storage/workspace.store.js';

/**
 * Accepts an invitation: all memberships and invitations of the person in the workspace become one member.
 * Repetitions get the same answer.
 */
export async function acceptMembership(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const { actor, params } = command;
  const sub = actor?.sub ?? null;
  if (actor === null || sub === null) throw new UnreadableError('A membership is accepted by a user.');
  const workspace = await lockWorkspace(client, paramOf(params, 'workspace_id'));
  const own = workspace === undefined ? [] : await membershipsOf(client, workspace.id, actor);
  const [kept, ...others] = own;
  if (workspace === undefined || kept === undefined) return refusals.noWorkspace();
  if (own.every(({ membership }) => membership === 'accepted') && kept.sub !== null && others.length === 0) {
    return { ok: kept };
  }
  const member = changedResource(kept, acceptedMember(sub, own), nowMs);
  await removeMembers(
    client,
    others.map(({ id }) => id),
  );
  await storeMember(client, member);
  // Published before the tombstones of the former names, so that the person always has access.
  const renamed = own.filter((one) => memberKey(one) !== memberKey(member));
  return {
    ok: member,
    facts: [memberFact(member, workspace), ...renamed.map(memberGoneFact)],
    audit: { action: 'accept', resource: 'member', resourceId: member.id, workspaceId: workspace.id },
  };
}
