import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { SealedLedgerFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import type { Messaging } from '@truetally/messaging';
import {
  createTestDatabase,
  eventually,
  openFaultyLink,
  ownerPool,
  readRecords,
  type TestDatabase,
  testStack,
  uniqueName,
} from '@truetally/testing';
import { openMessaging } from '@truetally/testing-product';
import pg from 'pg';
import { inbox, keyed, RejectedFactError, startWorker, type Worker, type WorkerOptions } from './index.js';

const GROUP = 'sealer';

describe('a worker', () => {
  let topicPrefix: string;
  let database: TestDatabase;
  let pool: pg.Pool;
  let messaging: Messaging;
  let workers: Worker[];

  beforeAll(async () => {
    database = await createTestDatabase('worker');
    pool = ownerPool(database, 4);
    await pool.query('create table effects (sequence text not null)');
  });

  afterAll(() => pool.end());

  beforeEach(async () => {
    workers = [];
    topicPrefix = `${uniqueName('worker')}.`;
    messaging = await openMessaging(testStack().kafkaBrokers, topicPrefix, 'publisher');
    await messaging.ensureTopics([TOPICS.ledgerSealed]);
    await pool.query('truncate effects');
    await pool.query('drop table if exists truetally_inbox');
  });

  afterEach(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await messaging.close();
  });

  async function start<Client>(
    options: Pick<WorkerOptions<Client>, 'once' | 'handlers'> & Partial<WorkerOptions<Client>>,
  ): Promise<Worker> {
    const brokers = testStack().kafkaBrokers.split(',');
    const worker = await startWorker({
      brokers,
      group: GROUP,
      topicPrefix,
      closesOnSignals: false,
      ...options,
    });
    workers.push(worker);
    return worker;
  }

  const publish = (...values: readonly (SealedLedgerFact | string)[]): Promise<void> =>
    messaging.publish(
      values.map((value) => ({
        topic: TOPICS.ledgerSealed.name,
        key: 'site',
        value: typeof value === 'string' ? value : JSON.stringify(value),
      })),
    );

  const effects = async (): Promise<readonly string[]> => {
    const { rows } = await pool.query<{ sequence: string }>('select sequence from effects');
    return rows.map(({ sequence }) => sequence).toSorted();
  };

  const write = async ({ sequence }: SealedLedgerFact, client: pg.PoolClient): Promise<void> => {
    await client.query('insert into effects values ($1)', [sequence]);
  };

  it('an effect and the note of its fact are one transaction: a fact that comes again has no second one', async () => {
    const worker = await start({
      once: inbox<pg.PoolClient>(pool),
      handlers: { ledgerSealed: (fact, { client }) => write(fact, client) },
    });
    await publish(sealed('1'), sealed('2'), sealed('1'), sealed('2'), sealed('3'));
    // The last of them, behind those that are known.
    const made = 'truetally_worker_facts_total{topic="ledger.sealed.v1",outcome="made"} 3';
    await eventually(() => worker.metrics().includes(made));
    expect(await effects()).toEqual(['1', '2', '3']);
    expect(worker.metrics()).toContain('outcome="known"} 2');
  });

  it('an effect that fails leaves nothing, is tried again, and then is there once', async () => {
    const attempts: number[] = [];
    await start({
      once: inbox<pg.PoolClient>(pool),
      handlers: {
        ledgerSealed: async (fact, { client, attempt }) => {
          attempts.push(attempt);
          await write(fact, client);
          if (attempt < 3) throw new Error('the mail server is away');
        },
      },
    });
    await publish(sealed('1'));
    await eventually(async () => (await effects()).length > 0);
    expect([await effects(), attempts]).toEqual([['1'], [1, 2, 3]]);
  });

  it('a fact that cannot be handled is a dead letter of its group, and holds up no other', async () => {
    const worker = await start({
      once: inbox<pg.PoolClient>(pool),
      maxAttempts: 2,
      handlers: {
        ledgerSealed: async (fact, { client }) => {
          if (fact.sequence === '1') throw new Error('always');
          if (fact.sequence === '2') throw new RejectedFactError('not for us');
          await write(fact, client);
        },
      },
    });
    await publish(sealed('1'), sealed('2'), '{"site_id":7}', sealed('3'));
    await eventually(async () => (await effects()).includes('3'));
    expect(await effects()).toEqual(['3']);
    expect(worker.metrics()).toContain('outcome="dead"} 3');
    expect(worker.metrics()).toContain('outcome="failed"} 3');
    const letters = (await messaging.topics()).find(({ name }) => name === `${GROUP}.dead-letters`);
    expect(letters?.partitions).toBe(1);
    const found = await readRecords(testStack().kafkaBrokers, topicPrefix, [`${GROUP}.dead-letters`]);
    const attempts = found.map(({ headers }) => /"dead-letter-attempts":"(\d+)"/.exec(headers)?.[1]);
    expect(attempts).toEqual(['2', '1', '1']);
    const reasons = found.map(({ headers }) => /"dead-letter-reason":"(\w+): /.exec(headers)?.[1]);
    expect(reasons).toEqual(['EffectError', 'EffectError', 'UnreadableError']);
  });

  it('a callback takes dead letters instead, with their value and their reason', async () => {
    const letters: object[] = [];
    let calls = 0;
    await start({
      once: keyed(),
      handlers: { ledgerSealed: () => Promise.resolve() },
      onDeadLetter: (letter) => {
        calls += 1;
        if (calls === 1) throw new Error('the letter box is closed');
        letters.push({ ...letter, key: String(letter.key), value: String(letter.value) });
        return Promise.resolve();
      },
    });
    await publish('{"site_id":7}');
    await eventually(() => letters.length > 0);
    expect(letters).toEqual([
      {
        topic: 'ledger.sealed.v1',
        partition: 0,
        offset: '0',
        key: 'site',
        value: '{"site_id":7}',
        reason: expect.stringContaining('site_id'),
      },
    ]);
    expect((await messaging.topics()).map(({ name }) => name)).not.toContain(`${GROUP}.dead-letters`);
  });

  it('an end waits for the effect under way and commits it: the next worker goes on behind it', async () => {
    const release = Promise.withResolvers<undefined>();
    const begun = Promise.withResolvers<undefined>();
    const listeners = (): number => process.listenerCount('SIGINT');
    const others = listeners();
    const first = await start({
      once: keyed(),
      closesOnSignals: true,
      handlers: {
        ledgerSealed: async () => {
          begun.resolve(undefined);
          await release.promise;
        },
      },
    });
    await publish(sealed('1'));
    await begun.promise;
    const closed = first.close();
    // npm hands an interrupt on that its child has got already: the second one must not end the effect.
    expect(listeners()).toBe(others + 1);
    release.resolve(undefined);
    await closed;
    expect(listeners()).toBe(others);
    const ids: string[] = [];
    await publish(sealed('2'));
    await start({ once: keyed(), handlers: { ledgerSealed: async (_fact, { id }) => void ids.push(id) } });
    await eventually(() => ids.length > 0);
    expect(ids).toEqual(['site:2']);
  });

  it('the lag is what its group has not read', async () => {
    await publish(sealed('1'), sealed('2'));
    const release = Promise.withResolvers<undefined>();
    const worker = await start({ once: keyed(), handlers: { ledgerSealed: () => release.promise } });
    const lag = 'truetally_worker_lag{topic="ledger.sealed.v1",partition="0"} 2';
    await eventually(() => worker.metrics().includes(lag));
    release.resolve(undefined);
    expect(worker.healthy()).toBe(true);
  });

  it('a worker that starts while its Postgres is away waits for it, and then makes its effects', async () => {
    const address = new URL(database.ownerUrl);
    const link = await openFaultyLink(`127.0.0.1:${address.port}`);
    link.cut();
    address.port = String(link.port);
    address.searchParams.set('options', `-c search_path=${database.schema}`);
    const away = new pg.Pool({ connectionString: address.href });
    const lines: string[] = [];
    const say = (_fields: object, message: string): void => void lines.push(message);
    const started = start({
      once: inbox<pg.PoolClient>(away),
      handlers: { ledgerSealed: (fact, { client }) => write(fact, client) },
      log: { debug: say, info: say, warn: say, error: say },
    });
    await publish(sealed('1'));
    await eventually(() => lines.includes('could not prepare the first effect, trying again'));
    link.mend();
    const worker = await started;
    await eventually(() => worker.metrics().includes('outcome="made"} 1'));
    await worker.close();
    await away.end();
    await link.close();
  });

  it('a worker does not wait for what Postgres refuses for good', async () => {
    const address = new URL(database.ownerUrl);
    address.pathname = '/no_such_database';
    const wrong = new pg.Pool({ connectionString: address.href });
    const handlers = { ledgerSealed: async (): Promise<void> => undefined };
    await expect(start({ once: inbox<pg.PoolClient>(wrong), handlers })).rejects.toMatchObject({
      code: '3D000',
    });
    await wrong.end();
  });

  it('a worker without a handler does not start', async () => {
    await expect(start({ once: keyed(), handlers: {} })).rejects.toThrow('handlers');
  });
});

function sealed(sequence: string): SealedLedgerFact {
  return { site_id: 'site', sequence, hash: 'a'.repeat(64), recorded_at: '2026-01-31T09:30:01.000Z' };
}
