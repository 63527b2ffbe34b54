import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Reply } from '@truetally/kernel';
import { memberFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { newMember, presentWorkspace, readCreateWorkspace, type Workspace } from '../domain/workspace.js';
import { Database } from '../storage/database.js';
import { insertMember } from '../storage/member.store.js';
import { insertWorkspace } from '../storage/workspace.store.js';

@Injectable()
export class CreateWorkspaceHandler {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** A workspace begins with one member: the owner who makes it. */
  async handle(body: unknown, correlationId: string): Promise<Reply<unknown>> {
    const command = readCreateWorkspace(body);
    if (!command.ok) return refusals.invalid(command.error);
    const { actor, name, owner_sub: subject, hourly_limit: hourlyLimit } = command.value;
    const nowMs = Date.now();
    const workspaceId = randomUUID();
    const workspace: Workspace = {
      workspaceId,
      name,
      isSuspended: false,
      hourlyLimit,
      version: 1,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    const owner = newMember({ memberId: randomUUID(), workspaceId, subject, role: 'owner', nowMs });
    return this.database.run(correlationId, async (client) => {
      await insertWorkspace(client, workspace);
      await insertMember(client, owner);
      return {
        reply: { ok: presentWorkspace(workspace) },
        facts: [memberFact(owner, workspace)],
        audit: {
          workspaceId,
          actor,
          action: 'create',
          resource: 'workspace',
          resourceId: workspaceId,
          atMs: nowMs,
        },
      };
    });
  }
}
