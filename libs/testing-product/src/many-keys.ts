import { hash, randomUUID } from 'node:crypto';
import { SCOPES } from '@truetally/contracts/credentials';
import { CREDENTIAL_RECORD } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { openMessaging } from './open-messaging.js';

const SITES = 1_000;

/** Publishes API keys of a thousand sites, like management. The keys themselves are not kept. */
export async function publishKeys(kafkaBrokers: string, topicPrefix: string, count: number): Promise<void> {
  const messaging = await openMessaging(kafkaBrokers, topicPrefix, 'many-keys');
  try {
    const siteIds = Array.from({ length: SITES }, () => randomUUID());
    for (let from = 0; from < count; from += SITES) {
      await messaging.publish(siteIds.slice(0, count - from).map((siteId, n) => keyFact(siteId, from + n)));
    }
  } finally {
    await messaging.close();
  }
}

function keyFact(siteId: string, number: number) {
  const keyId = randomUUID();
  const value = CREDENTIAL_RECORD.encode({
    key_id: keyId,
    site_id: siteId,
    workspace_id: siteId,
    prefix: number.toString(36).padStart(8, '0'),
    hash: hash('sha256', keyId, 'hex'),
    scopes: SCOPES.slice(0, 1 + (number % SCOPES.length)),
    hourly_limit: 1_000,
    limit_id: randomUUID(),
    expires_at: null,
    revoked_at: null,
    version: 1,
  });
  return { topic: TOPICS.credentials.name, key: keyId, value };
}
