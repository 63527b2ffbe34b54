import { Inject, Injectable } from '@nestjs/common';
import type { Reply } from '@truetally/kernel';
import { presentApiKey, readRevokeApiKey, revoke } from '../domain/api-key.js';
import { credentialFact } from '../domain/facts.js';
import { refusals } from '../domain/refusals.js';
import { lockApiKey, updateApiKey } from '../storage/api-key.store.js';
import { Database } from '../storage/database.js';

@Injectable()
export class RevokeApiKeyHandler {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Revoking twice is no error: the key stays revoked since the first time. */
  async handle(body: unknown, correlationId: string): Promise<Reply<unknown>> {
    const command = readRevokeApiKey(body);
    if (!command.ok) return refusals.invalid(command.error);
    const { actor, workspace_id: workspaceId, site_id: siteId, key_id: keyId } = command.value;
    return this.database.run(correlationId, async (client) => {
      const key = await lockApiKey(client, { workspaceId, siteId, keyId });
      if (key === undefined) return { reply: refusals.noApiKey() };
      if (key.revokedAtMs !== null) return { reply: { ok: presentApiKey(key) } };
      const nowMs = Date.now();
      const revoked = revoke(key, nowMs);
      await updateApiKey(client, revoked);
      return {
        reply: { ok: presentApiKey(revoked) },
        facts: [credentialFact(revoked)],
        audit: { workspaceId, actor, action: 'revoke', resource: 'api_key', resourceId: keyId, atMs: nowMs },
      };
    });
  }
}
