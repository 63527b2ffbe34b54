import {
  DEFAULT_QUOTAS,
  DEFAULT_WORKSPACE_HOURLY_LIMIT,
  type MemberResource,
  readWorkspace as readWorkspaceBody,
  type WorkspaceResource,
  WORKSPACES_PER_USER,
} from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { memberFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { exceedsRecords } from '../storage/held-records.store.js';
import { insertMember } from '../storage/member.store.js';
import { used } from '../storage/quota.store.js';
import { insertWorkspace, ownsSuspended } from '../storage/workspace.store.js';

/** A new workspace has one member: its creator as owner. */
export async function createWorkspace(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs, newId }: CommandContext,
): Promise<Outcome> {
  const { actor } = command;
  const sub = actor?.sub ?? null;
  if (sub === null) throw new UnreadableError('A workspace is made by a user.');
  const fields = readWorkspaceBody(command.body);
  if (!fields.ok) return refusals.invalid(fields.error);
  if (actor !== null && (await ownsSuspended(client, actor))) return refusals.ownerSuspended();
  if ((await used(client, 'workspaces', sub)) >= WORKSPACES_PER_USER) {
    return refusals.quotaExceeded({ quota: 'workspaces', most: WORKSPACES_PER_USER });
  }
  const exceeded = await exceedsRecords(client, command.workspace_id);
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const workspace: WorkspaceResource = {
    ...newResource(newId(), nowMs),
    ...fields.value,
    suspended: false,
    hourly_limit: DEFAULT_WORKSPACE_HOURLY_LIMIT,
    quotas: DEFAULT_QUOTAS,
  };
  const owner: MemberResource = {
    ...newResource(newId(), nowMs),
    workspace_id: workspace.id,
    sub,
    email: null,
    role: 'owner',
    membership: 'accepted',
  };
  await insertWorkspace(client, workspace, sub);
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
