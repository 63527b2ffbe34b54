import { setTimeout as delay } from 'node:timers/promises';
import type { Period } from '@truetally/kernel';
import { appendToOutbox, inTransaction, outboxSpan } from '@truetally/persistence';
import type { Pool } from 'pg';
import { packedFacts } from '../domain/facts.js';
import { CHAINS_START, type ChainsPlace, readRecorded } from '../storage/recorded-entries.js';

export interface Republishing {
  readonly pool: Pool;
  readonly period: Period;
  /** Receives the number of records so far. */
  readonly onPiece?: (records: number) => void;
  /** In one piece. */
  readonly records?: number;
  /** Resolves when what is in the outbox is in Kafka. */
  readonly published?: (pool: Pool) => Promise<void>;
}

/** New records wait behind so many at most. */
const RECORDS = 1_000;
const LOOK_MS = 100;
const PUBLISH_TIMEOUT_MS = 300_000;

/**
 * Publishes records again from their owner's table, for readers that had not read them when Kafka was lost or they expired; each
 * of them recognises what it has. They go through the outbox, which the service publishes.
 * @returns how many; the same call may be repeated
 */
export async function republishRecords(options: Republishing): Promise<number> {
  const { pool, period, onPiece, records: limit = RECORDS, published = untilPublished } = options;
  let records = 0;
  let place: ChainsPlace = CHAINS_START;
  // Ends: every turn but the last goes on to a later place.
  for (;;) {
    const piece = await inTransaction(pool, async (client) => {
      const recorded = await readRecorded(client, period, place, limit);
      await appendToOutbox(client, packedFacts(recorded));
      return recorded;
    });
    const last = piece.at(-1);
    if (last === undefined) return records;
    records += piece.length;
    await published(pool);
    onPiece?.(records);
    place = { siteId: last.entry.order.siteId, sequence: last.fields.chain_sequence ?? '' };
  }
}

/** @throws Error when nobody publishes */
async function untilPublished(pool: Pool): Promise<void> {
  const { end } = await outboxSpan(pool);
  const endsAt = performance.now() + PUBLISH_TIMEOUT_MS;
  for (;;) {
    const waiting = await outboxSpan(pool);
    if (waiting.end === 0 || waiting.first >= end) return;
    if (performance.now() > endsAt)
      throw new Error('Nobody publishes the outbox: does attribution-ledger run?');
    await delay(LOOK_MS);
  }
}
