import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { failure } from '@truetally/kernel';
import { eventually, uniqueName } from '@truetally/testing';
import {
  type BatchLimits,
  type BatchOutcome,
  type IncomingRequest,
  KafkaAskClient,
  TransientError,
} from '../index.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { committedOffsets, produceRaw, readAll } from '../testing/raw.js';
import { serveBatches } from '../testing/services.js';

/** Of an ask that must be answered, while groups are joined on however slow a machine. */
const PATIENT_MS = 240_000;

let closing: Closing;
let bus: TestBus;
let serverBus: TestBus;
let client: KafkaAskClient;
let topic: string;
let group: string;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  topic = uniqueName('batch');
  group = uniqueName('group');
  await bus.messaging.ensureTopics([{ name: topic, partitions: 4 }]);
  client = closing.add(new KafkaAskClient(bus.messaging, { deadlineMs: PATIENT_MS }), (each) => each.close());
  await client.connect();
});

afterEach(() => closing.closeAll());

describe('a batch handler', () => {
  it('gets the waiting messages of all partitions together, and each asker its own outcome', async () => {
    const gate = Promise.withResolvers<undefined>();
    const calls: (readonly IncomingRequest[])[] = [];
    await serving(
      async (requests) => {
        calls.push(requests);
        if (calls.length === 1) await gate.promise;
        return requests.map(({ value }) => ({ reply: { ok: value } }));
      },
      { transactions: 1 },
    );
    const first = client.ask({ to: topic, key: 'first', value: 'first' });
    await eventually(() => calls.length === 1);
    const others = Array.from({ length: 60 }, (_, index) =>
      client.ask({ to: topic, key: `key ${index}`, value: `value ${index}` }),
    );
    await eventually(() => gauge() === 61);
    gate.resolve(undefined);
    expect(await first).toEqual({ ok: 'first' });
    expect(await Promise.all(others)).toEqual(others.map((_, index) => ({ ok: `value ${index}` })));
    expect(calls.map(({ length }) => length)).toEqual([1, 60]);
    expect(new Set(calls[1]?.map(({ partition }) => partition)).size).toBe(4);
    // The replies of a call are one record, unless a send was repeated.
    expect((await readAll(bus.messaging, replies())).length).toBeLessThan(10);
  });

  it('replies that the broker refuses together reach their askers alone, one that it refuses as a failure', async () => {
    const configEntries = [{ name: 'max.message.bytes', value: '2000' }];
    const resource = { type: 2, name: bus.messaging.prefixed(replies()), configEntries };
    await bus.messaging.administer((admin) =>
      admin.alterConfigs({ resources: [resource], validateOnly: false }),
    );
    await serving((requests) =>
      Promise.resolve(requests.map(({ value }) => ({ reply: { ok: 'x'.repeat(Number(value)) } }))),
    );
    const lengths = Array.from({ length: 20 }, (_, index) => (index === 7 ? 3_000 : 900));
    const asks = lengths.map((length) => client.ask({ to: topic, key: null, value: String(length) }));
    const [small, large] = [
      { ok: 'x'.repeat(900) },
      { error: expect.objectContaining({ code: 'INTERNAL_ERROR' }) },
    ];
    expect(await Promise.all(asks)).toEqual(lengths.map((length) => (length === 900 ? small : large)));
  });

  it('gets no more weight than its rows in one call, and no more calls than its transactions', async () => {
    const gate = Promise.withResolvers<undefined>();
    const weights: number[] = [];
    let running = 0;
    let most = 0;
    await serving(
      async (requests) => {
        weights.push(requests.reduce((sum, { weight }) => sum + weight, 0));
        most = Math.max(most, ++running);
        await gate.promise;
        running--;
        return requests.map(() => ({ reply: OK }));
      },
      { rows: 10, transactions: 2 },
    );
    const asks = Array.from({ length: 20 }, (_, index) =>
      client.ask({ to: topic, key: `${index}`, value: '', weight: 3 }),
    );
    await eventually(() => gauge() === 60);
    gate.resolve(undefined);
    await Promise.all(asks);
    expect(most).toBe(2);
    expect(Math.max(...weights)).toBeLessThanOrEqual(10);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBe(60);
  });

  it('holds fetching up only by its bound, and stays in its group meanwhile', async () => {
    const gate = Promise.withResolvers<undefined>();
    await serving(
      async (requests) => {
        await gate.promise;
        return requests.map(() => ({ reply: OK }));
      },
      { rows: 5, transactions: 1, unstored: 20 },
    );
    const asks: Promise<unknown>[] = [];
    // In sequence, so that they arrive in many small fetches.
    for (let index = 0; index < 100; index++) {
      asks.push(client.ask({ to: topic, key: `${index}`, value: '' }));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually(() => gauge() >= 20);
    const rebalances = bus.total('messaging_rebalances_total', { group: `${group}.${topic}` });
    const heldSinceMs = performance.now();
    // Longer than a session: a member that sent no heartbeats would be out of the group by then.
    await eventually(() => performance.now() - heldSinceMs > 9_000);
    expect(gauge()).toBeLessThan(100);
    // A slow handler does not make Kafka unhealthy.
    expect(serverBus.messaging.healthy()).toBe(true);
    gate.resolve(undefined);
    await Promise.all(asks);
    expect(bus.total('messaging_rebalances_total', { group: `${group}.${topic}` })).toBe(rebalances);
  });

  it('a batch handler is called again with its batch while its dependency is away, and gives nothing up', async () => {
    const calls: string[][] = [];
    await serving((requests) => {
      calls.push(requests.map(({ value }) => value));
      if (calls.length < 4) return Promise.reject(new TransientError('the database restarts'));
      return Promise.resolve(requests.map(() => ({ reply: OK })));
    });
    expect(await client.ask({ to: topic, key: 'k', value: 'v' })).toEqual({ ok: null });
    expect(calls).toEqual([['v'], ['v'], ['v'], ['v']]);
    expect(bus.total('messaging_call_retries_total', { reason: 'transient' })).toBe(3);
    expect(await deadLetters()).toEqual([]);
  });

  it('loses one poisonous message of many to the dead letters, with its reason; the rest is answered', async () => {
    await serving((requests) => {
      const poison = requests.find(({ value }) => value === 'poison');
      if (poison !== undefined) return Promise.reject(new RangeError('cannot digest'));
      return Promise.resolve(requests.map(({ value }) => ({ reply: { ok: value } })));
    });
    const values = Array.from({ length: 50 }, (_, index) => (index === 17 ? 'poison' : `v${index}`));
    const replies = await Promise.all(
      values.map((value, index) => client.ask({ to: topic, key: `${index}`, value })),
    );
    values.forEach((value, index) => {
      const expected =
        value === 'poison' ? failure('INTERNAL_ERROR', 'The request could not be processed') : { ok: value };
      expect(replies[index]).toEqual(expected);
    });
    const [letter, ...others] = await eventually(async () => {
      const letters = await deadLetters();
      return letters.length > 0 && letters;
    });
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ key: '17', value: 'poison' });
    expect(letter?.headers).toMatchObject({
      'dead-letter-reason': 'RangeError: cannot digest',
      'dead-letter-attempts': '3',
      'dead-letter-topic': topic,
      'dead-letter-group': `${group}.${topic}`,
      'contract-version': '1',
    });
    expect(letter?.headers['correlation-id']).toMatch(/./);
    expect(letter?.headers['dead-letter-partition']).toMatch(/^[0-3]$/);
    expect(letter?.headers['dead-letter-offset']).toMatch(/^\d+$/);
    await eventually(committedAll(50));
  });

  it('never gets unreadable messages: they become dead letters, and the others continue', async () => {
    await serving((requests) => Promise.resolve(requests.map(({ value }) => ({ reply: { ok: value } }))));
    await produceRaw(bus.messaging, topic, [
      { key: 'no headers', value: 'x' },
      { key: null, value: null },
      { key: 'other', value: 'x', headers: { 'contract-version': '99', 'correlation-id': 'c' } },
    ]);
    expect(await client.ask({ to: topic, key: 'k', value: 'fine' })).toEqual({ ok: 'fine' });
    const letters = await eventually(async () => {
      const found = await deadLetters();
      return found.length === 3 && found;
    });
    expect(letters.map(({ headers }) => headers['dead-letter-reason'])).toEqual(
      expect.arrayContaining([
        'UnreadableError: contract version missing, not 1',
        'UnreadableError: contract version 99, not 1',
      ]),
    );
    await eventually(committedAll(4));
  });

  it('a batch handler has its facts published before a request counts as done', async () => {
    const facts = uniqueName('facts');
    await bus.messaging.ensureTopics([{ name: facts, partitions: 2 }]);
    await serving((requests) =>
      Promise.resolve(
        requests.map(({ value }) => ({
          reply: { ok: value },
          facts: [{ topic: facts, key: value, value: `{"v":"${value}"}`, headers: { 'fact-id': value } }],
        })),
      ),
    );
    const board = jest.spyOn(serverBus.messaging.facts, 'board');
    await Promise.all(['a', 'b', 'c'].map((value) => client.ask({ to: topic, key: value, value })));
    await eventually(committedAll(3));
    // They went along with replies.
    expect(board).toHaveReturnedWith(expect.objectContaining({ chunk: expect.anything() }));
    const published = await readAll(bus.messaging, facts);
    expect(published.map(({ key }) => key).toSorted()).toEqual(['a', 'b', 'c']);
    expect(published.find(({ key }) => key === 'a')).toMatchObject({
      value: '{"v":"a"}',
      headers: { 'fact-id': 'a' },
    });
  });

  it('a batch handler answers although Kafka refuses its facts, or has no topic for them', async () => {
    const [small, missing] = [uniqueName('small'), uniqueName('missing')];
    await bus.messaging.ensureTopics([
      { name: small, partitions: 1, config: { 'max.message.bytes': '1000' } },
    ]);
    await serving((requests) =>
      Promise.resolve(
        requests.map(({ key, value }) => ({ reply: { ok: key }, facts: [{ topic: key, key, value }] })),
      ),
    );
    for (const to of [missing, small, missing]) {
      expect(await client.ask({ to: topic, key: to, value: 'x'.repeat(2_000) })).toEqual({ ok: to });
    }
    await eventually(async () => (await deadLetters()).length === 1);
    await bus.messaging.ensureTopics([{ name: missing, partitions: 1 }]);
    await eventually(committedAll(3));
    expect((await readAll(bus.messaging, missing)).length).toBe(2);
  });

  it('a batch handler that closes finishes and commits its messages, and leaves the rest to the next', async () => {
    const gate = Promise.withResolvers<undefined>();
    let handled = 0;
    const server = await serving(async (requests) => {
      await gate.promise;
      handled += requests.length;
      return requests.map(() => ({ reply: OK }));
    });
    const asks = Array.from({ length: 30 }, (_, index) =>
      client.ask({ to: topic, key: `${index}`, value: '' }),
    );
    await eventually(() => gauge() === 30);
    const closed = server();
    gate.resolve(undefined);
    await closed;
    expect(handled).toBe(30);
    expect(await Promise.all(asks)).toEqual(asks.map(() => OK));
    expect(await committedAll(30)()).toBe(true);
  });

  it('a batch handler that does not finish in time leaves its messages to be delivered again', async () => {
    const server = await serving(() => new Promise(() => undefined), {}, 200);
    const ask = client.ask({ to: topic, key: 'k', value: 'v' });
    await eventually(() => gauge() === 1);
    await server();
    await serving((requests) => Promise.resolve(requests.map(({ value }) => ({ reply: { ok: value } }))));
    expect(await ask).toEqual({ ok: 'v' });
  });
});

const OK = { ok: null };

/** @returns what closes it before the test ends */
async function serving(
  handle: (requests: readonly IncomingRequest[]) => Promise<readonly BatchOutcome[]>,
  limits: Partial<BatchLimits> = {},
  drainTimeoutMs = 5_000,
): Promise<() => Promise<void>> {
  const { onMetric } = bus.messaging;
  serverBus = closing.add(await openBus({ onMetric }), ({ messaging }) => messaging.close());
  const app = await serveBatches(serverBus.messaging, topic, handle, limits, { group, drainTimeoutMs });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= app.close());
  closing.add(app, close);
  return close;
}

/** Fetched and unfinished messages. */
function gauge(): number {
  const last = bus.measurements.findLast(({ metric }) => metric === 'messaging_unstored');
  return last?.value ?? 0;
}

function replies(): string {
  return `replies.${bus.messaging.options.instance}`;
}

function committedAll(count: number): () => Promise<boolean> {
  return async () => (await committedOffsets(bus.messaging, `${group}.${topic}`, topic)) === count;
}

/** Of this test's topic. */
async function deadLetters() {
  const letters = await readAll(bus.messaging, 'dead-letters.v1');
  return letters.filter(({ headers }) => headers['dead-letter-topic'] === topic);
}
