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
 * Somebody says yes: all that the person is or is invited to be in the workspace becomes one member. Whoever has said so
 * already is answered the same.
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
  // Told before the names that are no more, so that at no moment the person is nobody.
  const renamed = own.filter((one) => memberKey(one) !== memberKey(member));
  return {
    ok: member,
    facts: [memberFact(member, workspace), ...renamed.map(memberGoneFact)],
    audit: { action: 'accept', resource: 'member', resourceId: member.id, workspaceId: workspace.id },
  };
}
