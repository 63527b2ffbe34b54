import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import {
  appendToOutbox,
  discardSetAside,
  eraseSetAside,
  inTransaction,
  listSetAside,
  OutboxRelay,
  type OutgoingFact,
} from './index.js';
import { ThingsDatabase } from './testing/things.js';

class Refusal extends Error {}

let database: ThingsDatabase;

beforeAll(async () => {
  database = await ThingsDatabase.open(process.env['TEST_DATABASE_URL']);
});

afterAll(() => database.close());

const BY = { actor: 'admin', requestId: 'request-1' };

/** Appends facts whose value is their owner, and lets the broker refuse them all. */
async function refuse(facts: readonly OutgoingFact[]): Promise<void> {
  const { pool } = database;
  await inTransaction(pool, (client) => appendToOutbox(client, facts));
  const relay = new OutboxRelay({
    pool,
    publisher: {
      publish: () => Promise.reject(new Refusal('no')),
      ready: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    isUndeliverable: (error) => error instanceof Refusal,
    isState: () => false,
    ownerOf: ({ value }) => ({ siteId: value, workspaceId: value }),
    onSetAside: () => undefined,
    onError: () => undefined,
    intervalMs: 20,
  });
  relay.start();
  await eventually(async () => (await pool.query('select 1 from outbox')).rowCount === 0);
  await relay.stop();
}

it('a refused fact is erased with its owner, and no key of its digests is left; a tombstone stays', async () => {
  const { pool } = database;
  const [gone, other] = [randomUUID(), randomUUID()];
  const key = 'person@example.com';
  const facts = [gone, other, gone, gone].map((value) => ({ topic: 't', key, value }));
  await refuse([...facts, { topic: 't', key: gone, value: null }]);
  const [first, second] = await listSetAside(pool, '0', 10);
  for (const fact of [first, second]) {
    await inTransaction(pool, (client) => discardSetAside(client, String(fact?.id), BY));
  }
  const { rows: digests } = await pool.query<{ key_digest: string }>(
    'select key_digest from outbox_set_aside_actions where fact_id = any($1)',
    [[first?.id, second?.id]],
  );
  // The same key, but each owner has a key of its own.
  expect(new Set(digests.map((row) => row.key_digest)).size).toBe(2);
  expect(await inTransaction(pool, (client) => eraseSetAside(client, 'site_id', gone))).toBe(2);
  expect((await listSetAside(pool, '0', 10)).map(({ bytes }) => bytes)).toEqual([0]);
  const { rows } = await pool.query<{ owner_id: string }>('select owner_id from outbox_digest_keys');
  expect(rows.map((row) => row.owner_id)).toEqual([other]);
});
