import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@truetally/testing';
import { KafkaAskClient } from './index.js';
import { NotReplicatedError } from './replication.js';
import { Closing, openBus, type TestBus } from './testing/bus.js';
import { produceRaw } from './testing/raw.js';
import { serve } from './testing/services.js';

/** Of an ask that must be answered, while groups are joined on however slow a machine. */
const PATIENT_MS = 240_000;

let closing: Closing;
let bus: TestBus;
let topic: string;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  topic = uniqueName('topic');
});

afterEach(() => closing.closeAll());

describe('topics', () => {
  it('topics are created with their configuration, on as many brokers as there are', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 2, config: { 'segment.ms': '86400000' } }]);
    expect(await described()).toMatchObject({
      partitions: 2,
      replicationFactor: 1,
      minInsyncReplicas: 1,
      underReplicatedPartitions: 0,
      config: { 'segment.ms': '86400000', 'min.insync.replicas': '1' },
    });
  });

  it('get missing configuration, and keep other settings', async () => {
    const own = { 'retention.ms': '1000000', 'max.compaction.lag.ms': '7777' };
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1, config: own }]);
    const wanted = { 'retention.ms': '604800000', 'segment.ms': '86400000' };
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1, config: wanted }]);
    await eventually(async () => (await described())?.config['segment.ms'] === '86400000');
    expect((await described())?.config).toEqual({ ...own, ...wanted, 'min.insync.replicas': '1' });
  });

  it('topics are read also where a broker is told to compress them in a way that our driver does not know', async () => {
    const { messaging } = bus;
    // As operators make one.
    await messaging.administer((admin) =>
      admin.createTopics({
        topics: [
          {
            topic: messaging.prefixed(topic),
            numPartitions: 1,
            configEntries: [{ name: 'compression.type', value: 'lz4' }],
          },
        ],
      }),
    );
    const server = await serve(messaging, topic, (body) => Promise.resolve({ ok: body as string }));
    closing.add(server, (each) => each.close());
    const client = closing.add(new KafkaAskClient(messaging, { deadlineMs: PATIENT_MS }), (each) =>
      each.close(),
    );
    await messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    await client.connect();
    expect(await client.ask({ to: topic, key: 'k', value: '"asked"' })).toEqual({ ok: 'asked' });
  });

  it('topics on one broker are warned of, once', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    await bus.messaging.ensureTopics([{ name: `${topic}.second`, partitions: 1 }]);
    const warnings = bus.complaints.filter((text) => text.includes('topics stand on one broker'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(topic);
  });

  it('topics on one broker are refused where replication is required', async () => {
    const strict = closing.add(await openBus({ requireReplication: true }), ({ messaging }) =>
      messaging.close(),
    );
    const refused = strict.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    await expect(refused).rejects.toThrow(NotReplicatedError);
    await expect(refused).rejects.toThrow('KAFKA_REQUIRE_REPLICATION');
  });
});

describe('partitions that an operator configures', () => {
  const configured = (partitions: number): Promise<TestBus> =>
    openBus({ partitions: new Map([[topic, partitions]]) });

  it('partitions that are configured are those of a new topic', async () => {
    const other = closing.add(await configured(3), ({ messaging }) => messaging.close());
    await other.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    expect(await described()).toMatchObject({ partitions: 3 });
  });

  it('partitions are raised while requests are asked: each is answered, also on the new ones', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    const partitions = new Set<number>();
    const server = await serve(bus.messaging, topic, (_body, context) => {
      partitions.add(context.partition);
      return Promise.resolve({ ok: null });
    });
    closing.add(server, (each) => each.close());
    const client = closing.add(new KafkaAskClient(bus.messaging, { deadlineMs: PATIENT_MS }), (each) =>
      each.close(),
    );
    await client.connect();
    let asked = 0;
    const ask = async (): Promise<void> => {
      asked += 1;
      expect(await client.ask({ to: topic, key: `key-${asked}`, value: '1' })).toEqual({ ok: null });
    };
    await ask();
    const other = closing.add(await configured(4), ({ messaging }) => messaging.close());
    await other.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    expect(await described()).toMatchObject({ partitions: 4 });
    const restarted = closing.add(await openBus(), ({ messaging }) => messaging.close());
    const second = await serve(restarted.messaging, topic, (_body, context) => {
      partitions.add(context.partition);
      return Promise.resolve({ ok: null });
    });
    closing.add(second, (each) => each.close());
    const fresh = closing.add(new KafkaAskClient(restarted.messaging, { deadlineMs: PATIENT_MS }), (each) =>
      each.close(),
    );
    await fresh.connect();
    await eventually(async () => {
      await ask();
      asked += 1;
      expect(await fresh.ask({ to: topic, key: `key-${asked}`, value: '1' })).toEqual({ ok: null });
      return partitions.size === 4;
    });
  });

  it('partitions of a compacted topic are refused, and fewer than there are change nothing', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 3 }]);
    const other = closing.add(await configured(2), ({ messaging }) => messaging.close());
    await other.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    expect(await described()).toMatchObject({ partitions: 3 });
    expect(other.complaints.join()).toContain('fewer are impossible');
    const compacted = { name: topic, partitions: 1, config: { 'cleanup.policy': 'compact' } };
    await expect(other.messaging.ensureTopics([compacted])).rejects.toThrow('cannot be configured');
  });
});

describe('requests whose clocks differ', () => {
  it('requests whose clocks differ are answered all the same where their broker stamps them', async () => {
    await bus.messaging.ensureTopics([
      { name: topic, partitions: 1, config: { 'message.timestamp.type': 'LogAppendTime' } },
    ]);
    const seen: unknown[] = [];
    const server = await serve(bus.messaging, topic, (body) => {
      seen.push(body);
      return Promise.resolve({ ok: body as string });
    });
    closing.add(server, (each) => each.close());
    // An asker whose clock is an hour behind, and that waits for ten seconds.
    const headers = {
      'contract-version': '1',
      'correlation-id': 'slow-clock',
      kind: 'query',
      deadline: String(Date.now() - 3_600_000 + 10_000),
      timeout: '10000',
    };
    await produceRaw(bus.messaging, topic, [{ key: 'k', value: '"asked"', headers }]);
    await eventually(() => seen.length === 1);
    expect(Math.abs(bus.messaging.clock.skewMs() ?? Number.NaN)).toBeLessThan(60_000);
    expect(bus.measurements.some(({ metric }) => metric === 'messaging_clock_skew_seconds')).toBe(true);
  });

  it('requests whose clocks differ are skipped without a stamp of the brokers, counted and logged', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    const server = await serve(bus.messaging, topic, () => Promise.resolve({ ok: null }));
    closing.add(server, (each) => each.close());
    const headers = {
      'contract-version': '1',
      'correlation-id': 'slow-clock',
      kind: 'query',
      deadline: String(Date.now() - 3_600_000),
    };
    await produceRaw(bus.messaging, topic, [{ key: 'k', value: '1', headers }]);
    await eventually(() => bus.total('messaging_expired_total') === 1);
    expect(bus.complaints.join()).toContain('queries skipped, their deadlines have passed');
  });

  it('requests whose clocks differ show asker and service their skew to the brokers, also without a query', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    const asking = closing.add(await openBus(), ({ messaging }) => messaging.close());
    const server = await serve(bus.messaging, topic, () => Promise.resolve({ ok: null }));
    closing.add(server, (each) => each.close());
    const client = closing.add(new KafkaAskClient(asking.messaging, { deadlineMs: PATIENT_MS }), (each) =>
      each.close(),
    );
    await client.connect();
    expect(asking.messaging.clock.nowMs()).toBeUndefined();
    expect(await client.ask({ to: topic, key: 'k', value: '1' })).toEqual({ ok: null });
    expect(Math.abs(asking.messaging.clock.skewMs() ?? Number.NaN)).toBeLessThan(60_000);
    await eventually(() => bus.messaging.clock.nowMs() !== undefined);
    expect(Math.abs(bus.messaging.clock.skewMs() ?? Number.NaN)).toBeLessThan(60_000);
  });
});

describe('a command that is older than the record of its outcome', () => {
  it('a command older than the record of its outcome is not carried out, and is a dead letter', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1, config: { 'retention.ms': '-1' } }]);
    const seen: unknown[] = [];
    const server = await serve(bus.messaging, topic, (body) => {
      seen.push(body);
      return Promise.resolve({ ok: null });
    });
    closing.add(server, (each) => each.close());
    const headers = { 'contract-version': '1', 'correlation-id': 'c' };
    const daysAgo = (days: number): string => String(Date.now() - days * 86_400_000);
    await produceRaw(bus.messaging, topic, [
      { key: 'k', value: '"old"', headers, timestamp: daysAgo(8.1) },
      { key: 'k', value: '"young"', headers, timestamp: daysAgo(7.9) },
    ]);
    await eventually(() => seen.length === 1 && bus.total('messaging_dead_letters_total') === 1);
    expect(seen).toEqual(['young']);
  });
});

async function described() {
  return (await bus.messaging.topics()).find(({ name }) => name === topic);
}
