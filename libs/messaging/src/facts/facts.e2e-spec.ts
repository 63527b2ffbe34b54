import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, openKafkaLink, testStack, uniqueName } from '@truetally/testing';
import { pause } from '../delay.js';
import { createDriver } from '../driver.js';
import { type ReceivedFact, subscribe, type SubscriptionOptions, TransientError } from '../index.js';
import { GATHER_MS, GATHER_MS_PER_KIB } from '../limits.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { committedOffsets, produceRaw, readAll } from '../testing/raw.js';

let closing: Closing;
let bus: TestBus;
let topic: string;
let group: string;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  topic = uniqueName('facts');
  group = uniqueName('group');
  await bus.messaging.ensureTopics([{ name: topic, partitions: 3 }]);
});

afterEach(() => closing.closeAll());

describe('publish', () => {
  it('every published fact is kept by Kafka, in order per key', async () => {
    const count = 2_500;
    const facts = Array.from({ length: count }, (_, index) => ({
      topic,
      key: `key ${index % 7}`,
      value: String(index),
      headers: { 'fact-id': `id ${index}` },
    }));
    // Three concurrent calls: their facts are sent together and in order.
    await Promise.all(
      [0, 1, 2].map((part) => bus.messaging.publish(facts.slice(part * 1_000, (part + 1) * 1_000))),
    );
    const kept = await readAll(bus.messaging, topic);
    expect(kept).toHaveLength(count);
    for (let key = 0; key < 7; key++) {
      const numbers = kept.filter((each) => each.key === `key ${key}`).map(({ value }) => Number(value));
      expect(numbers).toEqual(numbers.toSorted((left, right) => left - right));
    }
    expect(kept.find(({ value }) => value === '42')?.headers).toEqual({ 'fact-id': 'id 42' });
  });

  it('rejects a fact that is too large for the broker, and publishes the others', async () => {
    const small = uniqueName('small');
    await bus.messaging.ensureTopics([
      { name: small, partitions: 1, config: { 'max.message.bytes': '5000' } },
    ]);
    const publish = (value: string): Promise<void> =>
      bus.messaging.publish([{ topic: small, key: 'k', value }]);
    const results = await Promise.allSettled([publish('a'), publish('x'.repeat(20_000)), publish('b')]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    const kept = await readAll(bus.messaging, small);
    expect(new Set(kept.map(({ value }) => value))).toEqual(new Set(['a', 'b']));
  });

  it('sends facts that may gather seldom, at once with one that may not, and all of them at close', async () => {
    const other = await openBus();
    const sends = (): number =>
      other.measurements.filter(({ metric }) => metric === 'messaging_send_messages').length;
    const publish = (value: string, mayGather: boolean): Promise<void> =>
      other.messaging.publish([{ topic, key: 'k', value }], { mayGather });
    const startedMs = performance.now();
    const published: Promise<void>[] = [];
    for (let index = 0; index < 100; index++) {
      published.push(publish(String(index), true));
      await pause(1);
    }
    await Promise.all(published);
    expect(sends()).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / GATHER_MS);
    await publish('pressing', false);
    // The first of these opens an interval, the others wait in it until the bus is closed.
    const last = ['a', 'b', 'c'].map((value) => publish(value, true));
    await other.messaging.close();
    await Promise.all(last);
    const values = (await readAll(bus.messaging, topic)).map(({ value }) => value);
    expect(values).toEqual([
      ...Array.from({ length: 100 }, (_, index) => String(index)),
      'pressing',
      'a',
      'b',
      'c',
    ]);
  });

  it('sends less often after a large send, also what somebody waits for', async () => {
    const kibibytes = 20;
    const other = closing.add(await openBus(), ({ messaging }) => messaging.close());
    const startedMs = performance.now();
    const published: Promise<void>[] = [];
    for (let index = 0; index < 40; index++) {
      const value = String(index).padStart(kibibytes * 1_024, '0');
      published.push(other.messaging.publish([{ topic, key: 'k', value }]));
      await pause(1);
    }
    await Promise.all(published);
    const sends = other.measurements.filter(({ metric }) => metric === 'messaging_send_messages').length;
    const leastMs = kibibytes * GATHER_MS_PER_KIB.facts;
    expect(sends).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / leastMs);
    const kept = await readAll(bus.messaging, topic);
    expect(kept.map(({ value }) => Number(value))).toEqual(Array.from({ length: 40 }, (_, index) => index));
  });

  it('facts that go along with another send are published when Kafka has it, or by themselves', async () => {
    const { messaging } = bus;
    const carried = messaging.publish([{ topic, key: 'k', value: 'carried' }]);
    messaging.facts.board()?.ended(true);
    await carried;
    const returned = messaging.publish([{ topic, key: 'k', value: 'returned' }]);
    const boarded = messaging.facts.board();
    const next = messaging.publish([{ topic, key: 'k', value: 'next' }]);
    expect(boarded?.chunk.map(({ message: { value } }) => value)).toEqual(['returned']);
    expect(messaging.facts.board()).toBeUndefined();
    boarded?.ended(false);
    await Promise.all([returned, next]);
    expect((await readAll(messaging, topic)).map(({ value }) => value)).toEqual(['returned', 'next']);
  });

  it('waits for a topic that does not exist yet', async () => {
    const later = uniqueName('later');
    const published = bus.messaging.publish([{ topic: later, key: 'k', value: 'v' }]);
    await eventually(() => bus.total('messaging_send_retries_total', { output: 'facts' }) > 0);
    await bus.messaging.ensureTopics([{ name: later, partitions: 1 }]);
    await published;
    expect(await readAll(bus.messaging, later)).toMatchObject([{ key: 'k', value: 'v' }]);
  });

  it('rejects after close', async () => {
    const other = await openBus();
    await other.messaging.close();
    await expect(other.messaging.publish([{ topic, key: 'k', value: 'v' }])).rejects.toThrow('Closed');
    expect(other.messaging.healthy()).toBe(false);
  });
});

describe('a subscription', () => {
  it('gets the facts of all its topics, from the first, in batches', async () => {
    const second = uniqueName('second');
    await bus.messaging.ensureTopics([{ name: second, partitions: 1 }]);
    await publishNumbers(topic, 50);
    await publishNumbers(second, 50);
    const calls: (readonly ReceivedFact[])[] = [];
    await subscribing([topic, second], (facts) => {
      calls.push(facts);
      return Promise.resolve();
    });
    await eventually(() => calls.flat().length === 100);
    expect(calls.length).toBeLessThan(100);
    const [first] = calls.flat().filter((fact) => fact.topic === second);
    expect(first).toMatchObject({
      topic: second,
      partition: 0,
      offset: '0',
      timestampMs: expect.any(Number),
      key: 'key 0',
      value: '0',
      headers: { 'fact-id': '0' },
    });
  });

  it('commits after the handler, continues where it ended, and repeats unfinished facts', async () => {
    const first: string[] = [];
    const subscription = await subscribing([topic], (facts) => {
      first.push(...facts.map(({ value }) => value ?? ''));
      return Promise.resolve();
    });
    await publishNumbers(topic, 20);
    await eventually(() => first.length === 20);
    await subscription.close();
    expect(await committedOffsets(bus.messaging, group, topic)).toBe(20);
    await publishNumbers(topic, 5, 20);
    const second: string[] = [];
    await subscribing([topic], (facts) => {
      second.push(...facts.map(({ value }) => value ?? ''));
      return Promise.resolve();
    });
    await eventually(() => second.length === 5);
    expect(second.toSorted()).toEqual(['20', '21', '22', '23', '24']);
  });

  it('a subscription that is not wanted any more, before Kafka has answered it, closes before that is given up', async () => {
    const [broker = ''] = testStack().kafkaBrokers.split(',');
    const link = closing.add(await openKafkaLink(broker), (each) => each.close());
    const far = closing.add(await openBus({ brokers: [link.address] }), ({ messaging }) => messaging.close());
    link.stall();
    const givenUp = far.messaging.administer((admin) => admin.listTopics()).catch(() => 'given up');
    const closed = new AbortController();
    const subscribed = subscribe(far.messaging, {
      ...{ topics: [uniqueName('silent')], group: uniqueName('group'), signal: closed.signal },
      handler: () => Promise.resolve(),
      giveUp: () => Promise.resolve(),
    }).then((subscription) => subscription.close());
    closed.abort();
    expect(await Promise.race([subscribed, givenUp])).toBeUndefined();
  });

  it('facts that are passed over are committed, and no handler gets them', async () => {
    const seen: string[] = [];
    const handler = (facts: readonly ReceivedFact[]): Promise<void> => {
      seen.push(...facts.map(({ value }) => value ?? ''));
      return Promise.resolve();
    };
    await subscribing([topic], handler, { isPassed: (_, value) => value?.includes('7') !== true });
    await publishNumbers(topic, 30);
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === 30);
    expect(seen.toSorted()).toEqual(['17', '27', '7']);
    expect(bus.total('messaging_passed_total', { group })).toBe(27);
    const [first, ...others] = bus.measurements.filter(({ metric }) => metric === 'messaging_passed_total');
    expect(first?.value).toBe(0);
    expect(others.every(({ value }) => value > 0)).toBe(true);
  });

  it('a subscription is called again while its dependency is away; a poisonous fact is a dead letter', async () => {
    let failures = 0;
    const seen = new Set<string>();
    await subscribing([topic], (facts) => {
      if (failures++ < 3) return Promise.reject(new TransientError('away'));
      if (facts.some(({ value }) => value === '7')) return Promise.reject(new RangeError('seven'));
      for (const { value } of facts) seen.add(value ?? '');
      return Promise.resolve();
    });
    await publishNumbers(topic, 20);
    await eventually(() => seen.size === 19);
    expect(seen.has('7')).toBe(false);
    const letters = await eventually(async () => {
      const all = await readAll(bus.messaging, 'dead-letters.v1');
      const mine = all.filter(({ headers }) => headers['dead-letter-topic'] === topic);
      return mine.length > 0 && mine;
    });
    expect(letters).toMatchObject([
      { key: 'key 7', value: '7', headers: { 'dead-letter-reason': 'RangeError: seven', 'fact-id': '7' } },
    ]);
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === 20);
    const lag = (await bus.messaging.lag()).filter((each) => each.group === group);
    expect(lag).toHaveLength(3);
    expect(lag.every((each) => each.topic === topic && each.lag === 0)).toBe(true);
  });

  it('sees facts of committed transactions, none of aborted ones, and has no lag afterwards', async () => {
    const seen: (string | null)[] = [];
    await subscribing([topic], (facts) => {
      seen.push(...facts.map(({ value }) => value));
      return Promise.resolve();
    });
    const producer = createDriver(bus.messaging.driver).producer({ transactionalId: uniqueName('aborting') });
    await producer.connect();
    for (const isAborted of [true, false, true]) {
      const transaction = await producer.transaction();
      const value = isAborted ? 'aborted' : 'committed';
      const messages = [0, 1, 2].map((partition) => ({ partition, value }));
      await transaction.send({ topic: bus.messaging.prefixed(topic), messages });
      await (isAborted ? transaction.abort() : transaction.commit());
    }
    await producer.disconnect();
    await eventually(() => seen.length >= 3);
    await eventually(async () => {
      const lag = (await bus.messaging.lag()).filter((each) => each.group === group);
      return lag.length === 3 && lag.every((each) => each.lag === 0);
    });
    expect(seen).toEqual(['committed', 'committed', 'committed']);
  });

  it('a subscription that has gone lags in partitions of which it has committed nothing, too, and in topics that are named', async () => {
    const other = uniqueName('other');
    await bus.messaging.ensureTopics([{ name: other, partitions: 1 }]);
    const { close } = await subscribing([topic], () => Promise.resolve());
    await produceRaw(bus.messaging, topic, [{ key: 'k', partition: 0, value: 'read' }]);
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === 1);
    await close();
    await produceRaw(bus.messaging, topic, [{ key: 'k', partition: 1, value: 'unread' }]);
    await produceRaw(bus.messaging, other, [{ key: 'k', value: 'unread' }]);
    const lags = await bus.messaging.lag(group, [topic, other]);
    expect(lags.find(({ partition }) => partition === 1)).toMatchObject({ lag: 1, expired: 0 });
    expect(lags.find((one) => one.topic === other)).toMatchObject({ lag: 1, expired: 0 });
  });
});

function publishNumbers(to: string, count: number, from = 0): Promise<void> {
  return bus.messaging.publish(
    Array.from({ length: count }, (_, index) => ({
      topic: to,
      key: `key ${from + index}`,
      value: String(from + index),
      headers: { 'fact-id': String(from + index) },
    })),
  );
}

async function subscribing(
  topics: readonly string[],
  handler: (facts: readonly ReceivedFact[]) => Promise<void>,
  options: Pick<SubscriptionOptions, 'isPassed'> = {},
): Promise<{ close(): Promise<void> }> {
  const subscription = await subscribe(bus.messaging, { topics, group, handler, ...options });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= subscription.close());
  return closing.add({ close }, () => close());
}
