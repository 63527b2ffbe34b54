import { setTimeout as delay } from 'node:timers/promises';
import { CompactedTable, type Messaging } from '@truetally/messaging';
import { isTransient, type OutboxRelay } from '@truetally/persistence';
import type { Logger } from '@truetally/platform';
import type { Pool } from 'pg';
import { type KnownKeys, republishFacts, SOURCE_NAMES, SOURCES } from './republish-facts.js';

interface Topics {
  readonly pool: Pool;
  readonly relay: OutboxRelay;
  readonly messaging: Messaging;
  readonly log: Logger;
  /** Whether to publish also what the topics already contain. */
  readonly everything: boolean;
  /** Ends the wait for Postgres when the process stops. */
  readonly signal: AbortSignal;
}

const RETRY_MS = 1_000;
/**
 * At startup: finds out what the compacted topics lack (everything, when Kafka was lost) and which obsolete
 * members they contain, and publishes both. Waits for Postgres as long as it takes, because nothing can be
 * served without it.
 */
export async function fillTopics(topics: Topics): Promise<void> {
  const known = await readKnownKeys(topics.messaging);
  while (!topics.signal.aborted) {
    try {
      const republished = await republishFacts(topics.pool, topics.relay, known, topics.everything);
      const isAny = Object.values(republished).some((count) => count > 0);
      if (isAny) topics.log.info(republished, 'Republished facts.');
      return;
    } catch (error) {
      if (!isTransient(error)) throw error;
      topics.log.warn({ err: error }, 'Postgres is away; facts are republished once it is back.');
      await delay(RETRY_MS, undefined, { signal: topics.signal });
    }
  }
}

async function readKnownKeys(messaging: Messaging): Promise<KnownKeys> {
  const known = await Promise.all(
    SOURCE_NAMES.map(async (name) => [name, await keysOn(messaging, SOURCES[name].topic)] as const),
  );
  return Object.fromEntries(known) as KnownKeys;
}

async function keysOn(messaging: Messaging, topic: string): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const table = await CompactedTable.open(messaging, {
    topic,
    apply: (key, value) => {
      if (value === null) keys.delete(key);
      else keys.add(key);
    },
  });
  await table.close();
  return keys;
}
