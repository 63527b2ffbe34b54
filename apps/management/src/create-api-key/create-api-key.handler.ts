import { randomUUID } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { Reply } from '@truetally/kernel';
import { newApiKey, presentApiKey, readCreateApiKey } from '../domain/api-key.js';
import { credentialFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { insertApiKey } from '../storage/api-key.store.js';
import { Database } from '../storage/database.js';
import { findSite } from '../storage/site.store.js';

@Injectable()
export class CreateApiKeyHandler {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** The asker minted the key: only its prefix and hash come here, so that no topic, table or log holds a secret. */
  async handle(body: unknown, correlationId: string): Promise<Reply<unknown>> {
    const nowMs = Date.now();
    const command = readCreateApiKey(body, nowMs);
    if (!command.ok) return refusals.invalid(command.error);
    const { actor, workspace_id: workspaceId, site_id: siteId } = command.value;
    const key = newApiKey(command.value, { keyId: randomUUID(), limitId: randomUUID(), nowMs });
    return this.database.run(correlationId, async (client) => {
      const site = await findSite(client, workspaceId, siteId);
      if (site === undefined) return { reply: refusals.noSite() };
      const isNew = await insertApiKey(client, key);
      if (!isNew) return { reply: refusals.keyTaken() };
      return {
        reply: { ok: presentApiKey(key) },
        facts: [credentialFact(key)],
        audit: {
          workspaceId,
          actor,
          action: 'create',
          resource: 'api_key',
          resourceId: key.keyId,
          atMs: nowMs,
        },
      };
    });
  }
}
