import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Reply } from '@truetally/kernel';
import { refusals } from '../domain/refusals.js';
import { presentWorkspace, readCreateWorkspace, type Workspace } from '../domain/workspace.js';
import { Database } from '../storage/database.js';
import { insertMember, insertWorkspace } from '../storage/workspace.store.js';

@Injectable()
export class CreateWorkspaceHandler {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** A workspace begins with one member: the owner who makes it. */
  async handle(body: unknown, correlationId: string): Promise<Reply<unknown>> {
    const command = readCreateWorkspace(body);
    if (!command.ok) return refusals.invalid(command.error);
    const { actor, name, owner_sub } = command.value;
    const nowMs = Date.now();
    const workspaceId = randomUUID();
    const workspace: Workspace = {
      workspaceId,
      name,
      isSuspended: false,
      version: 1,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    return this.database.run(correlationId, async (client) => {
      await insertWorkspace(client, workspace);
      const owner = {
        memberId: randomUUID(),
        workspaceId,
        subject: owner_sub,
        email: null,
        role: 'owner',
      } as const;
      await insertMember(client, owner, nowMs);
      return {
        reply: { ok: presentWorkspace(workspace) },
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
