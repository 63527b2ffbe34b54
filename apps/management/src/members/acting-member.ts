import type { MemberResource, WorkspaceResource } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import type { ClientBase } from 'pg';
import type { ActingRole } from '../domain/membership.js';
import { acceptedRole, membershipsOf } from '../storage/member.store.js';
import { lockWorkspace } from '../storage/workspace.store.js';

/** Who changes members of a workspace that no other change of them touches until this transaction ends. */
export interface Acting {
  readonly workspace: WorkspaceResource;
  readonly role: ActingRole;
  isSelf(member: MemberResource): boolean;
}

/**
 * Locks the workspace, and decides again what the actor may do: the gateway's knowledge may be a moment old, and an
 * owner who was removed in it may not act any more. Undefined where there is no workspace for this actor.
 */
export async function actingMember(
  client: ClientBase,
  { workspace_id: workspaceId, actor }: ResourceCommand,
): Promise<Acting | undefined> {
  const workspace = await lockWorkspace(client, workspaceId);
  if (workspace === undefined) return undefined;
  if (actor === null) return { workspace, role: 'platform', isSelf: () => false };
  const own = await membershipsOf(client, workspaceId, actor);
  const role = acceptedRole(own);
  if (role === undefined) return undefined;
  return { workspace, role, isSelf: ({ id }) => own.some((membership) => membership.id === id) };
}
