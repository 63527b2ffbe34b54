import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Reply } from '@truetally/kernel';
import { memberFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { newMember, presentMember, readAddMember } from '../domain/workspace.js';
import { Database } from '../storage/database.js';
import { insertMember } from '../storage/member.store.js';
import { holdWorkspace } from '../storage/workspace.store.js';

@Injectable()
export class AddMemberHandler {
  constructor(@Inject(Database) private readonly database: Database) {}

  async handle(body: unknown, correlationId: string): Promise<Reply<unknown>> {
    const command = readAddMember(body);
    if (!command.ok) return refusals.invalid(command.error);
    const { actor, workspace_id: workspaceId, sub: subject, role } = command.value;
    const nowMs = Date.now();
    const member = newMember({ memberId: randomUUID(), workspaceId, subject, role, nowMs });
    return this.database.run(correlationId, async (client) => {
      const workspace = await holdWorkspace(client, workspaceId);
      if (workspace === undefined) return { reply: refusals.noWorkspace() };
      const isNew = await insertMember(client, member);
      if (!isNew) return { reply: refusals.memberTaken() };
      return {
        reply: { ok: presentMember(member) },
        facts: [memberFact(member, workspace)],
        audit: {
          workspaceId,
          actor,
          action: 'create',
          resource: 'member',
          resourceId: member.memberId,
          atMs: nowMs,
        },
      };
    });
  }
}
