import { Inject, Injectable } from '@nestjs/common';
import type { Reply } from '@truetally/kernel';
import type { OutgoingFact } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { memberFact, siteFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { presentWorkspace, readSuspendWorkspace, type Workspace } from '../domain/workspace.js';
import { Database } from '../storage/database.js';
import { membersOfWorkspace } from '../storage/member.store.js';
import { sitesOfWorkspace } from '../storage/site.store.js';
import { lockWorkspace, updateWorkspace } from '../storage/workspace.store.js';

@Injectable()
export class SuspendWorkspaceHandler {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Suspends a workspace or lets it go on; every gateway hears of it through the workspace's sites and members. */
  async handle(body: unknown, correlationId: string): Promise<Reply<unknown>> {
    const command = readSuspendWorkspace(body);
    if (!command.ok) return refusals.invalid(command.error);
    const { actor, workspace_id: workspaceId, suspended: isSuspended } = command.value;
    return this.database.run(correlationId, async (client) => {
      const workspace = await lockWorkspace(client, workspaceId);
      if (workspace === undefined) return { reply: refusals.noWorkspace() };
      if (workspace.isSuspended === isSuspended) return { reply: { ok: presentWorkspace(workspace) } };
      const nowMs = Date.now();
      const changed: Workspace = {
        ...workspace,
        isSuspended,
        version: workspace.version + 1,
        updatedAtMs: nowMs,
      };
      await updateWorkspace(client, changed);
      return {
        reply: { ok: presentWorkspace(changed) },
        facts: await changedFacts(client, changed),
        audit: {
          workspaceId,
          actor,
          action: isSuspended ? 'suspend' : 'resume',
          resource: 'workspace',
          resourceId: workspaceId,
          atMs: nowMs,
        },
      };
    });
  }
}

async function changedFacts(client: ClientBase, workspace: Workspace): Promise<readonly OutgoingFact[]> {
  const sites = await sitesOfWorkspace(client, workspace.workspaceId);
  const members = await membersOfWorkspace(client, workspace.workspaceId);
  return [
    ...sites.map((site) => siteFact(site, workspace.isSuspended)),
    ...members.map((member) => memberFact(member, workspace)),
  ];
}
