import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@truetally/testing';
import pg from 'pg';
import { appendToOutbox, inTransaction } from './index.js';
import { SILENT_RELAY_MS } from './outbox-relay.js';
import { numbered, type Publish, RelayedOutbox } from './testing/relayed-outbox.js';

let outbox: RelayedOutbox;

beforeAll(async () => {
  outbox = await RelayedOutbox.open(process.env['TEST_DATABASE_URL']);
});

afterEach(() => outbox.clear());

afterAll(() => outbox.close());

describe('the outbox', () => {
  it('publishes in the order of commits, through any number of relays, and keeps facts that the broker did not accept', async () => {
    let refusals = 3;
    const publish: Publish = (facts) =>
      refusals-- > 0 ? Promise.reject(new Error('The broker is away.')) : outbox.take(facts);
    const [relay] = [outbox.startRelay(publish), outbox.startRelay(publish)];
    const total = 300;
    let next = 0;
    const writers = Array.from({ length: 5 }, async () => {
      while (next < total) {
        await inTransaction(outbox.pool, async (client) => {
          await client.query(`select pg_advisory_xact_lock(42)`);
          await appendToOutbox(client, [numbered(next++)]);
        });
        relay.wake();
      }
    });
    await Promise.all(writers);
    await outbox.untilEmpty();
    expect(outbox.values()).toEqual(Array.from({ length: next }, (_, n) => String(n)));
    expect(outbox.errors).toHaveLength(3);
  });

  it('keeps tombstones and headers, and nothing of a rollback', async () => {
    await outbox.append({ topic: 't', key: 'gone', value: null });
    const failed = inTransaction(outbox.pool, async (client) => {
      await appendToOutbox(client, [numbered(1)]);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    outbox.startRelay(outbox.take);
    await outbox.untilEmpty();
    expect(outbox.published).toEqual([{ topic: 't', key: 'gone', value: null, headers: {} }]);
  });

  it('gives large facts a few at a time, in order, and one that is larger than that alone', async () => {
    const sizes: number[] = [];
    const large = 'x'.repeat(400_000);
    const facts = [1, 2, 3, 4].map((n) => numbered(n, { value: `${n}${large}` }));
    await outbox.append(...facts, numbered(5, { value: `5${large.repeat(3)}` }), numbered(6));
    outbox.startRelay((some) => {
      sizes.push(some.length);
      return outbox.take(some);
    });
    await outbox.untilEmpty();
    expect(outbox.values().map((value) => value?.[0])).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(3);
  });
});

describe('a relay that nobody wakes', () => {
  it('a relay that has found facts looks for more soon, however seldom it looks otherwise', async () => {
    await outbox.append(numbered(1));
    outbox.startRelay(outbox.take, { intervalMs: 600_000 });
    await outbox.untilEmpty();
    await outbox.append(numbered(2));
    await outbox.untilEmpty();
    expect(outbox.values()).toEqual(['1', '2']);
  });
});

describe('a relay that has failed', () => {
  it('a relay that has failed does not take the lock before it can reach the broker again', async () => {
    let isReachable = false;
    let looked = 0;
    const cut: Publish = () => Promise.reject(new Error('cut off'));
    const ready = (): Promise<void> => {
      looked++;
      return isReachable ? Promise.resolve() : Promise.reject(new Error('cut off still'));
    };
    await outbox.append(numbered(1));
    outbox.startRelay(cut, { publisher: { publish: cut, ready, close: () => Promise.resolve() } });
    await eventually(() => looked > 0);
    outbox.startRelay(outbox.take);
    await outbox.untilEmpty();
    expect(outbox.values()).toEqual(['1']);
    isReachable = true;
    const { length } = outbox.errors;
    await outbox.append(numbered(2));
    await outbox.untilEmpty();
    expect(outbox.values()).toEqual(['1', '2']);
    expect(outbox.errors.length).toBeLessThanOrEqual(length + 1);
  });

  it('a relay that has failed asks for the broker until it answers, also where another has published everything', async () => {
    let isWell = true;
    const fail: Publish = async () => {
      isWell = false;
      await outbox.pool.query('delete from outbox');
      throw new Error('fenced: another has published it');
    };
    let looked = 0;
    const ready = (): Promise<void> => {
      looked++;
      if (looked === 1) return Promise.reject(new Error('cut off still'));
      isWell = true;
      return Promise.resolve();
    };
    await outbox.append(numbered(1));
    outbox.startRelay(fail, { publisher: { publish: fail, ready, close: () => Promise.resolve() } });
    await eventually(() => !isWell);
    await outbox.untilEmpty();
    await eventually(() => isWell);
    expect(looked).toBe(2);
  });
});

describe('a relay that falls silent in the middle of a publish', () => {
  it('loses the lock to another in a few seconds, and cannot tell its publisher that it holds it', async () => {
    // The relay's own timeout must end its session, not the longer one of the outbox.pool.
    const patient = new pg.Pool({ ...outbox.pool.options, idle_in_transaction_session_timeout: 0 });
    patient.on('error', () => undefined);
    patient.on('connect', (client) => client.on('error', () => undefined));
    let confirm: (() => Promise<void>) | undefined;
    const { promise: silence, reject: giveUp } = Promise.withResolvers<undefined>();
    await outbox.append(numbered(1));
    const silent = outbox.startRelay(
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
      outbox.startRelay(outbox.take);
      await outbox.untilEmpty();
      expect(outbox.values()).toEqual(['1']);
      // A lower bound: the lock was not released while a publish could still be in progress.
      expect(performance.now() - startedMs).toBeGreaterThan(SILENT_RELAY_MS / 2);
      await expect(confirm?.()).rejects.toThrow();
    } finally {
      giveUp(new Error('the end of the silence'));
      await silent.stop();
      await patient.end();
    }
  });

  it('a silent relay cannot take a later transaction of the same connection for its own', async () => {
    let confirm: (() => Promise<void>) | undefined;
    await outbox.append(numbered(1));
    outbox.startRelay((_facts, asked) => {
      if (confirm !== undefined) return Promise.resolve();
      confirm = asked;
      return Promise.reject(new Error('late'));
    });
    await outbox.untilEmpty();
    await expect(confirm?.()).rejects.toThrow('given back');
  });
});
