import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import pg from 'pg';
import {
  appendToOutbox,
  discardSetAside,
  type FactPublisher,
  inTransaction,
  listSetAside,
  OutboxRelay,
  type OutboxRelayOptions,
  type OutgoingFact,
  type RefusedFact,
  replaySetAside,
} from './index.js';
import { SILENT_RELAY_MS } from './outbox-relay.js';
import { ThingsDatabase } from './testing/things.js';

class Refusal extends Error {}

let database: ThingsDatabase;
let pool: pg.Pool;
let published: OutgoingFact[] = [];
let errors: unknown[] = [];
let reported: RefusedFact[] = [];
const relays: OutboxRelay[] = [];

beforeAll(async () => {
  database = await ThingsDatabase.open(process.env['TEST_DATABASE_URL']);
  ({ pool } = database);
});

afterEach(async () => {
  await Promise.all(relays.splice(0).map((relay) => relay.stop()));
  await pool.query('delete from outbox');
  await pool.query('delete from outbox_set_aside');
  [published, errors, reported] = [[], [], []];
});

afterAll(() => database.close());

type Publish = FactPublisher['publish'];

function taking(facts: readonly OutgoingFact[]): Promise<void> {
  published.push(...facts);
  return Promise.resolve();
}

function startRelay(publish: Publish, overrides: Partial<OutboxRelayOptions> = {}): OutboxRelay {
  const relay = new OutboxRelay({
    pool,
    publisher: { publish, ready: () => Promise.resolve(), close: () => Promise.resolve() },
    isUndeliverable: (error) => error instanceof Refusal,
    isState: (topic) => topic === 'state',
    onSetAside: (facts) => reported.push(...facts),
    onError: (error) => errors.push(error),
    intervalMs: 20,
    ...overrides,
  });
  relays.push(relay);
  relay.start();
  return relay;
}

function append(...facts: readonly OutgoingFact[]): Promise<void> {
  return inTransaction(pool, (client) => appendToOutbox(client, facts));
}

const numbered = (n: number, more: Partial<OutgoingFact> = {}): OutgoingFact => ({
  topic: 't',
  key: 'k',
  value: String(n),
  headers: { n: String(n) },
  ...more,
});

const BY = { actor: 'admin', requestId: 'request-1' };

async function count(table: 'outbox' | 'outbox_set_aside'): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return rows[0]?.n ?? Number.NaN;
}

const untilEmpty = () => eventually(async () => (await count('outbox')) === 0);
const values = () => published.map(({ value }) => value);

describe('the outbox', () => {
  it('publishes in the order of commits, through any number of relays, and keeps facts that the broker did not accept', async () => {
    let refusals = 3;
    const publish: Publish = (facts) =>
      refusals-- > 0 ? Promise.reject(new Error('The broker is away.')) : taking(facts);
    const [relay] = [startRelay(publish), startRelay(publish)];
    const total = 300;
    let next = 0;
    const writers = Array.from({ length: 5 }, async () => {
      while (next < total) {
        await inTransaction(pool, async (client) => {
          await client.query(`select pg_advisory_xact_lock(42)`);
          await appendToOutbox(client, [numbered(next++)]);
        });
        relay.wake();
      }
    });
    await Promise.all(writers);
    await untilEmpty();
    expect(values()).toEqual(Array.from({ length: next }, (_, n) => String(n)));
    expect(errors).toHaveLength(3);
  });

  it('keeps tombstones and headers, and nothing of a rollback', async () => {
    await append({ topic: 't', key: 'gone', value: null });
    const failed = inTransaction(pool, async (client) => {
      await appendToOutbox(client, [numbered(1)]);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    startRelay(taking);
    await untilEmpty();
    expect(published).toEqual([{ topic: 't', key: 'gone', value: null, headers: {} }]);
  });

  it('gives large facts a few at a time, in order, and one that is larger than that alone', async () => {
    const sizes: number[] = [];
    const large = 'x'.repeat(400_000);
    const facts = [1, 2, 3, 4].map((n) => numbered(n, { value: `${n}${large}` }));
    await append(...facts, numbered(5, { value: `5${large.repeat(3)}` }), numbered(6));
    startRelay((some) => {
      sizes.push(some.length);
      return taking(some);
    });
    await untilEmpty();
    expect(values().map((value) => value?.[0])).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3);
  });
});

describe('a relay that has failed', () => {
  it('does not take the lock before it can reach the broker again', async () => {
    let isReachable = false;
    let looked = 0;
    const cut: Publish = () => Promise.reject(new Error('cut off'));
    const ready = (): Promise<void> => {
      looked++;
      return isReachable ? Promise.resolve() : Promise.reject(new Error('cut off still'));
    };
    await append(numbered(1));
    startRelay(cut, { publisher: { publish: cut, ready, close: () => Promise.resolve() } });
    await eventually(() => looked > 0);
    startRelay(taking);
    await untilEmpty();
    expect(values()).toEqual(['1']);
    isReachable = true;
    const { length } = errors;
    await append(numbered(2));
    await untilEmpty();
    expect(values()).toEqual(['1', '2']);
    expect(errors.length).toBeLessThanOrEqual(length + 1);
  });
});

describe('a relay that falls silent in the middle of a publish', () => {
  it('loses the lock to another in a few seconds, and cannot tell its publisher that it holds it', async () => {
    // The relay's own timeout must end its session, not the longer one of the pool.
    const patient = new pg.Pool({ ...pool.options, idle_in_transaction_session_timeout: 0 });
    patient.on('error', () => undefined);
    patient.on('connect', (client) => client.on('error', () => undefined));
    let confirm: (() => Promise<void>) | undefined;
    const { promise: silence, reject: giveUp } = Promise.withResolvers<undefined>();
    await append(numbered(1));
    const silent = startRelay(
      (_facts, asked) => {
        confirm = asked;
        return silence;
      },
      { pool: patient },
    );
    try {
      await eventually(() => confirm !== undefined);
      await confirm?.();
      const startedMs = performance.now();
      startRelay(taking);
      await untilEmpty();
      expect(values()).toEqual(['1']);
      // A lower bound: the lock was not released while a publish could still be in progress.
      expect(performance.now() - startedMs).toBeGreaterThan(SILENT_RELAY_MS / 2);
      await expect(confirm?.()).rejects.toThrow();
    } finally {
      giveUp(new Error('the end of the silence'));
      await silent.stop();
      await patient.end();
    }
  });

  it('cannot take a later transaction of the same connection for its own', async () => {
    let confirm: (() => Promise<void>) | undefined;
    await append(numbered(1));
    startRelay((_facts, asked) => {
      if (confirm !== undefined) return Promise.resolve();
      confirm = asked;
      return Promise.reject(new Error('late'));
    });
    await untilEmpty();
    await expect(confirm?.()).rejects.toThrow('given back');
  });
});

describe('a fact that the broker refuses', () => {
  const refusing =
    (...refused: readonly string[]): Publish =>
    (facts) =>
      facts.some(({ value }) => refused.includes(value ?? ''))
        ? Promise.reject(new Refusal('too large'))
        : taking(facts);

  it('is set aside, at any position, and all others continue in their order', async () => {
    await append(...Array.from({ length: 50 }, (_, n) => numbered(n)));
    startRelay(refusing('0', '17', '18', '49'));
    await untilEmpty();
    const refused = ['0', '17', '18', '49'];
    expect(values()).toEqual(
      Array.from({ length: 50 }, (_, n) => `${n}`).filter((n) => !refused.includes(n)),
    );
    expect(reported.map(({ value, reason }) => [value, reason])).toEqual(
      refused.map((n) => [n, 'too large']),
    );
    const kept = await listSetAside(pool, '0', 3);
    expect(kept.map(({ topic, key, bytes }) => ({ topic, key, bytes }))).toEqual(
      [0, 17, 18].map((n) => ({ topic: numbered(n).topic, key: numbered(n).key, bytes: `${n}`.length })),
    );
    const rest = await listSetAside(pool, String(kept.at(-1)?.id), 3);
    expect(rest.map(({ id }) => id)).toEqual(reported.slice(3).map(({ id }) => id));
    expect(errors).toEqual([]);
  });

  it('is published when it is replayed, once', async () => {
    await append(numbered(1));
    const refusals = ['1'];
    startRelay((facts, confirm) => refusing(...refusals)(facts, confirm));
    await untilEmpty();
    const [fact] = await listSetAside(pool, '0', 10);
    refusals.pop();
    const replay = () => inTransaction(pool, (client) => replaySetAside(client, String(fact?.id), BY));
    expect(await replay()).toEqual({ kind: 'handled', fact });
    expect(await replay()).toEqual({ kind: 'unknown' });
    await untilEmpty();
    expect(published).toEqual([numbered(1)]);
    expect(await count('outbox_set_aside')).toBe(0);
  });

  it('is not replayed behind a newer state of its key, whether that is out or on its way', async () => {
    const state = { topic: 'state' };
    await append(numbered(1, state), numbered(2, { ...state, key: 'other' }));
    const relay = startRelay(refusing('1', '2'));
    await untilEmpty();
    await append(numbered(3, state));
    await untilEmpty();
    await relay.stop();
    await append(numbered(4, { ...state, key: 'other' }));
    const facts = await listSetAside(pool, '0', 10);
    expect(facts.map(({ key, isSuperseded }) => [key, isSuperseded])).toEqual([
      [numbered(1, state).key, true],
      ['other', false],
    ]);
    for (const fact of facts) {
      const { id } = fact;
      const replay = () => inTransaction(pool, (client) => replaySetAside(client, id, BY));
      const discard = () => inTransaction(pool, (client) => discardSetAside(client, id, BY));
      expect(await replay()).toEqual({ kind: 'superseded' });
      expect(await discard()).toEqual({ kind: 'handled', fact });
      expect(await discard()).toEqual({ kind: 'unknown' });
    }
  });

  it('records who did what with it, append-only for the service', async () => {
    await append(numbered(1), numbered(2, { key: 'other' }));
    startRelay(refusing('1', '2'));
    await untilEmpty();
    const [first, second] = await listSetAside(pool, '0', 10);
    const refused = inTransaction(pool, async (client) => {
      await discardSetAside(client, String(first?.id), BY);
      throw new Error('the commit fails');
    });
    await expect(refused).rejects.toThrow('the commit fails');
    await inTransaction(pool, (client) => replaySetAside(client, String(first?.id), BY));
    await inTransaction(pool, (client) =>
      discardSetAside(client, String(second?.id), { actor: 'admin', requestId: undefined }),
    );
    const { rows } = await pool.query(
      `select fact_id, actor, action, action_request_id, topic, key, reason from outbox_set_aside_actions
       where fact_id = any($1) order by at, fact_id`,
      [[first?.id, second?.id]],
    );
    const about = { actor: 'admin', topic: first?.topic, reason: 'too large' };
    expect(rows).toEqual([
      { ...about, fact_id: first?.id, action: 'replay', action_request_id: 'request-1', key: first?.key },
      { ...about, fact_id: second?.id, action: 'discard', action_request_id: null, key: 'other' },
    ]);
    for (const change of [
      'delete from outbox_set_aside_actions',
      `update outbox_set_aside_actions set actor = ''`,
    ])
      await expect(pool.query(change)).rejects.toThrow('permission denied');
  });

  it('of a topic that keeps all of its facts is replayed behind newer ones of its key', async () => {
    await append(numbered(1), numbered(2));
    startRelay(refusing('1'));
    await untilEmpty();
    const [fact] = await listSetAside(pool, '0', 10);
    expect(fact?.isSuperseded).toBe(false);
    const replay = inTransaction(pool, (client) => replaySetAside(client, String(fact?.id), BY));
    expect(await replay).toEqual({ kind: 'handled', fact });
  });

  it('does not stop others, though there are a thousand of it', async () => {
    await append(...Array.from({ length: 1_000 }, (_, n) => numbered(n)), numbered(1_000));
    startRelay((facts) =>
      facts.some(({ value }) => value !== '1000') ? Promise.reject(new Refusal('no topic')) : taking(facts),
    );
    await untilEmpty();
    expect(values()).toEqual(['1000']);
    expect(await count('outbox_set_aside')).toBe(1_000);
  });
});
