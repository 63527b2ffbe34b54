import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Reply } from '@truetally/kernel';
import { siteFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { newSettings, presentSite, readCreateSite, type Site } from '../domain/site.js';
import { Database } from '../storage/database.js';
import { insertSite } from '../storage/site.store.js';
import { holdWorkspace } from '../storage/workspace.store.js';

@Injectable()
export class CreateSiteHandler {
  constructor(@Inject(Database) private readonly database: Database) {}

  async handle(body: unknown, correlationId: string): Promise<Reply<unknown>> {
    const command = readCreateSite(body);
    if (!command.ok) return refusals.invalid(command.error);
    const { actor, workspace_id: workspaceId } = command.value;
    const nowMs = Date.now();
    const site: Site = {
      siteId: randomUUID(),
      workspaceId,
      ...newSettings(command.value),
      version: 1,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    };
    return this.database.run(correlationId, async (client) => {
      const workspace = await holdWorkspace(client, workspaceId);
      if (workspace === undefined) return { reply: refusals.noWorkspace() };
      await insertSite(client, site);
      return {
        reply: { ok: presentSite(site) },
        facts: [siteFact(site, workspace.isSuspended)],
        audit: {
          workspaceId,
          actor,
          action: 'create',
          resource: 'site',
          resourceId: site.siteId,
          atMs: nowMs,
        },
      };
    });
  }
}
