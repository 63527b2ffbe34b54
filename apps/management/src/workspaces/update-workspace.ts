import { readWorkspace as readWorkspaceBody } from '@truetally/contracts/management';
import { patchedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { patchFields } from '@truetally/kernel';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { lockWorkspace, storeWorkspace } from '../storage/workspace.store.js';

export async function updateWorkspace(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, version, body } = command;
  const workspace = await lockWorkspace(client, workspaceId);
  if (workspace === undefined) return refusals.noWorkspace();
  if (isStale(version, workspace.version)) return refusals.staleVersion(workspace.version);
  const fields = readWorkspaceBody(patchFields({ name: workspace.name }, body));
  if (!fields.ok) return refusals.invalid(fields.error);
  const changed = patchedResource(workspace, fields.value, nowMs);
  if (changed !== workspace) await storeWorkspace(client, changed);
  return { ok: changed, audit: { action: 'update', resource: 'workspace', resourceId: workspaceId } };
}
