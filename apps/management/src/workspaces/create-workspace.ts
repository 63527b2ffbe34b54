import { randomUUID } from 'node:crypto';
import {
  DEFAULT_WORKSPACE_HOURLY_LIMIT,
  type MemberResource,
  readWorkspace as readWorkspaceBody,
  type WorkspaceResource,
} from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import type { Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { memberFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { insertMember } from '../storage/member.store.js';
import { insertWorkspace } from '../storage/workspace.store.js';

/** A workspace begins with one member: the owner who makes it. */
export async function createWorkspace(client: ClientBase, command: ResourceCommand): Promise<Outcome> {
  const sub = command.actor?.sub ?? null;
  if (sub === null) throw new UnreadableError('A workspace is made by a user.');
  const fields = readWorkspaceBody(command.body);
  if (!fields.ok) return refusals.invalid(fields.error);
  const nowMs = Date.now();
  const workspace: WorkspaceResource = {
    ...newResource(randomUUID(), nowMs),
    ...fields.value,
    suspended: false,
    hourly_limit: DEFAULT_WORKSPACE_HOURLY_LIMIT,
  };
  const owner: MemberResource = {
    ...newResource(randomUUID(), nowMs),
    workspace_id: workspace.id,
    sub,
    email: null,
    role: 'owner',
  };
  await insertWorkspace(client, workspace);
  await insertMember(client, owner);
  return {
    ok: workspace,
    facts: [memberFact(owner, workspace)],
    audit: {
      action: 'create',
      resource: 'workspace',
      resourceId: workspace.id,
      workspaceId: workspace.id,
    },
  };
}
