import {
  readWorkspaceState,
  type WorkspaceResource,
  type WorkspaceState,
} from '@truetally/contracts/management';
import { patchedResource, type ResourceCommand } from '@truetally/contracts/resource';
import { isJsonObject } from '@truetally/contracts/validation';
import { patchFields } from '@truetally/kernel';
import type { OutgoingFact } from '@truetally/persistence';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { memberFact, siteFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { membersOfWorkspace } from '../storage/member.store.js';
import { sitesOfWorkspace } from '../storage/site.store.js';
import { lockWorkspace, storeWorkspace } from '../storage/workspace.store.js';

/**
 * Settings that only the platform changes: suspension and limit. Gateways receive them through the
 * workspace's sites and members.
 */
export async function administerWorkspace(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, version, body } = command;
  const workspace = await lockWorkspace(client, workspaceId);
  if (workspace === undefined) return refusals.noWorkspace();
  if (isStale(version, workspace.version)) return refusals.staleVersion(workspace.version);
  const state = readWorkspaceState(patchState(workspace, body));
  if (!state.ok) return refusals.invalid(state.error);
  const changed = patchedResource(workspace, state.value, nowMs);
  if (changed !== workspace) await storeWorkspace(client, changed);
  return {
    ok: changed,
    // A thousand redundant facts would delay the relevant one.
    facts: isSame(workspace, changed) ? [] : await changedFacts(client, changed),
    audit: { action: actionOf(workspace, changed), resource: 'workspace', resourceId: workspaceId },
  };
}

/** The names of `quotas` are fields, too: an unknown one is refused, also if the patch would remove it. */
function patchState({ suspended, hourly_limit, quotas }: WorkspaceState, patch: unknown): unknown {
  const patched = patchFields({ suspended, hourly_limit, quotas }, patch);
  const changes = isJsonObject(patch) ? patch['quotas'] : undefined;
  if (!isJsonObject(patched) || !isJsonObject(changes)) return patched;
  return { ...patched, quotas: patchFields(quotas, changes) };
}

/** Equal in all published fields: only this service uses the quotas. */
function isSame(left: WorkspaceState, right: WorkspaceState): boolean {
  return left.suspended === right.suspended && left.hourly_limit === right.hourly_limit;
}

function actionOf(before: WorkspaceState, after: WorkspaceState): 'update' | 'suspend' | 'resume' {
  if (before.suspended === after.suspended) return 'update';
  return after.suspended ? 'suspend' : 'resume';
}

async function changedFacts(
  client: ClientBase,
  workspace: WorkspaceResource,
): Promise<readonly OutgoingFact[]> {
  const sites = await sitesOfWorkspace(client, workspace.id);
  const members = await membersOfWorkspace(client, workspace.id);
  return [
    ...sites.map((site) => siteFact(site, workspace.suspended)),
    ...members.map((member) => memberFact(member, workspace)),
  ];
}
