import type { MemberResource, WorkspaceResource } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import type { ClientBase } from 'pg';
import type { ActingRole } from '../domain/membership.js';
import { acceptedRole, membershipsOf } from '../storage/member.store.js';
import { lockWorkspace } from '../storage/workspace.store.js';

/** The actor of a membership change, with a lock against concurrent changes until this transaction ends. */
export interface Acting {
  readonly workspace: WorkspaceResource;
  readonly role: ActingRole;
  isSelf(member: MemberResource): boolean;
}

/**
 * Locks the workspace and checks the actor's role again: the gateway's copy may be a moment old, and a
 * removed owner may not act any more. Undefined for an unknown workspace.
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
