import { Inject, Injectable } from '@nestjs/common';
import type { Reply } from '@truetally/kernel';
import { siteFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { changedSettings, presentSite, readUpdateSite, type Site } from '../domain/site.js';
import { Database } from '../storage/database.js';
import { lockSite, updateSite } from '../storage/site.store.js';
import { holdWorkspace } from '../storage/workspace.store.js';

@Injectable()
export class UpdateSiteHandler {
  constructor(@Inject(Database) private readonly database: Database) {}

  async handle(body: unknown, correlationId: string): Promise<Reply<unknown>> {
    const command = readUpdateSite(body);
    if (!command.ok) return refusals.invalid(command.error);
    const { actor, workspace_id: workspaceId, site_id: siteId, version } = command.value;
    return this.database.run(correlationId, async (client) => {
      // The workspace before its site, as a suspension takes them: the other way round the two could deadlock.
      const workspace = await holdWorkspace(client, workspaceId);
      const site = await lockSite(client, workspaceId, siteId);
      if (workspace === undefined || site === undefined) return { reply: refusals.noSite() };
      if (version !== undefined && version !== site.version)
        return { reply: refusals.staleVersion(site.version) };
      const nowMs = Date.now();
      const changed: Site = {
        ...site,
        ...changedSettings(site, command.value),
        version: site.version + 1,
        updatedAtMs: nowMs,
      };
      await updateSite(client, changed);
      return {
        reply: { ok: presentSite(changed) },
        facts: [siteFact(changed, workspace.isSuspended)],
        audit: { workspaceId, actor, action: 'update', resource: 'site', resourceId: siteId, atMs: nowMs },
      };
    });
  }
}
