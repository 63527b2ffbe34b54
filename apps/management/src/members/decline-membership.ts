import type { ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import { type Outcome, paramOf } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { memberGoneFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { membershipsOf, removeMembers } from '../storage/member.store.js';
import { lockWorkspace } from '../storage/workspace.store.js';

/** Declines all open invitations to a workspace; an accepted membership stays. */
export async function declineMembership(client: ClientBase, command: ResourceCommand): Promise<Outcome> {
  const { actor, params } = command;
  if (actor === null || actor.sub === null) throw new UnreadableError('An invitation is declined by a user.');
  const workspace = await lockWorkspace(client, paramOf(params, 'workspace_id'));
  const own = workspace === undefined ? [] : await membershipsOf(client, workspace.id, actor);
  const open = own.filter(({ membership }) => membership === 'invited');
  const [first] = open;
  if (workspace === undefined || first === undefined) return refusals.noWorkspace();
  await removeMembers(
    client,
    open.map(({ id }) => id),
  );
  return {
    ok: { id: first.id, deleted: true },
    facts: open.map(memberGoneFact),
    audit: { action: 'decline', resource: 'member', resourceId: first.id, workspaceId: workspace.id },
  };
}
