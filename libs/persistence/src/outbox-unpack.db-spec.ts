import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import { appendToOutbox, inTransaction, OutboxRelay, type OutgoingFact, type RefusedFact } from './index.js';
import { ThingsDatabase } from './testing/things.js';

class Refusal extends Error {}

let database: ThingsDatabase;

beforeAll(async () => {
  database = await ThingsDatabase.open(process.env['TEST_DATABASE_URL']);
});

afterAll(() => database.close());

const PACKED: OutgoingFact = { topic: 't', key: 'all', value: '1,2,3', headers: { packed: '1' } };
const single = (value: string): OutgoingFact => ({ topic: 't', key: 'k', value, headers: {} });

function unpack(row: OutgoingFact): readonly OutgoingFact[] {
  if (row.headers?.['packed'] === undefined) return [row];
  return (row.value ?? '').split(',').map((value) => ({ topic: row.topic, key: value, value }));
}

/** Publishes the outbox to a broker that refuses one value. */
async function publish(
  rows: readonly OutgoingFact[],
  refused?: string,
): Promise<{
  readonly published: readonly OutgoingFact[];
  /** How many facts each send had. */
  readonly sends: readonly number[];
  readonly setAside: readonly RefusedFact[];
}> {
  const { pool } = database;
  const published: OutgoingFact[] = [];
  const sends: number[] = [];
  const setAside: RefusedFact[] = [];
  await inTransaction(pool, (client) => appendToOutbox(client, rows));
  const relay = new OutboxRelay({
    pool,
    publisher: {
      publish: (facts) => {
        if (facts.some(({ value }) => value === refused)) return Promise.reject(new Refusal());
        published.push(...facts);
        sends.push(facts.length);
        return Promise.resolve();
      },
      ready: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    isUndeliverable: (error) => error instanceof Refusal,
    isState: () => false,
    ownerOf: () => ({ siteId: null, workspaceId: null }),
    onSetAside: (facts) => setAside.push(...facts),
    onError: () => undefined,
    intervalMs: 20,
    unpack,
    bytesPerSend: 150_000,
  });
  relay.start();
  await eventually(async () => (await pool.query('select 1 from outbox')).rowCount === 0);
  await relay.stop();
  return { published, sends, setAside };
}

it('publishes a row that holds many facts as that many, in their order', async () => {
  const { published } = await publish([single('0'), PACKED, single('4')]);
  expect(published.map(({ value }) => value)).toEqual(['0', '1', '2', '3', '4']);
  expect(published[2]).toEqual({ topic: 't', key: '2', value: '2' });
});

it('sends rows that are packed some at a time, so that none occupies the process for long', async () => {
  const large = { ...PACKED, value: Array.from({ length: 400 }, () => 'x'.repeat(250)).join(',') };
  const { sends } = await publish([single('0'), large, large, PACKED, single('4')]);
  expect(sends).toEqual([401, 404]);
});

it('sets such a row aside as a whole when the broker refuses one of them', async () => {
  const { published, setAside } = await publish([PACKED, single('5')], '2');
  expect(published.map(({ value }) => value)).toEqual(['5']);
  expect(setAside).toMatchObject([{ topic: 't', key: 'all', value: '1,2,3' }]);
});
