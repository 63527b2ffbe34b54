import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, openKafkaLink, testStack, uniqueName } from '@truetally/testing';
import { createDriver } from '../driver.js';
import { CompactedTable } from '../index.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { FETCH_STALE_MS } from '../limits.js';
import { produceRaw } from '../testing/raw.js';

let closing: Closing;
let bus: TestBus;
let topic: string;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  topic = uniqueName('table');
  await createTopic({});
});

afterEach(() => closing.closeAll());

const ANOTHER_PARTITION = 99;

describe('a compacted table', () => {
  it('a compacted table is open when its topic is empty', async () => {
    const state = await openTable();
    expect(state.size).toBe(0);
  });

  it('a compacted table has all records when it is opened, without deleted ones', async () => {
    const count = 3_000;
    const keys = Array.from({ length: count }, (_, index) => `key ${index}`);
    await bus.messaging.publish(keys.map((key) => ({ topic, key, value: 'old' })));
    await bus.messaging.publish(
      keys.map((key, index) => ({ topic, key, value: index % 10 === 0 ? null : 'new' })),
    );
    const state = await openTable();
    expect(state.size).toBe(count - count / 10);
    expect(new Set(state.values())).toEqual(new Set(['new']));
  });

  it('follows changes within a second, deletions too', async () => {
    const state = await openTable();
    await bus.messaging.publish([{ topic, key: 'a', value: '1' }]);
    await eventually(() => state.get('a') === '1');
    await bus.messaging.publish([{ topic, key: 'a', value: null }]);
    await eventually(() => !state.has('a'));
  });

  it('a compacted table is the same for each of several processes', async () => {
    const other = closing.add(await openBus(), ({ messaging }) => messaging.close());
    const states = [await openTable(), await openTable(other)];
    await bus.messaging.publish([{ topic, key: 'a', value: '1' }]);
    for (const state of states) await eventually(() => state.get('a') === '1');
  });

  it('several compacted tables of a process are read whole and followed by one consumer', async () => {
    const topics = [topic, uniqueName('table')];
    topic = topics[1] ?? '';
    await createTopic({});
    const publishTo = (value: string) =>
      bus.messaging.publish(topics.map((each) => ({ topic: each, key: each, value })));
    await publishTo('1');
    const states = topics.map(() => new Map<string, string | null>());
    const tables = await CompactedTable.openAll(
      bus.messaging,
      topics.map((each, index) => ({
        topic: each,
        apply: (key, value) => {
          states[index]?.set(key, value);
        },
      })),
    );
    for (const table of tables) closing.add(table, (each) => each.close());
    const found = (value: string) => topics.map((each) => [[each, value]]);
    expect(states.map((state) => [...state])).toEqual(found('1'));
    await publishTo('2');
    await eventually(() => states.every((state) => [...state.values()].includes('2')));
    expect(states.map((state) => [...state])).toEqual(found('2'));
    const { groups } = await bus.messaging.administer((admin) => admin.listGroups());
    const ofTables = groups.filter(({ groupId }) =>
      topics.some((each) => groupId.includes(`table.${each}.`)),
    );
    expect(ofTables).toHaveLength(1);
  });

  it('catches up although compaction has left gaps', async () => {
    topic = uniqueName('compacted');
    await createTopic({
      'segment.ms': '100',
      'min.cleanable.dirty.ratio': '0.01',
      'max.compaction.lag.ms': '100',
      'delete.retention.ms': '1',
    });
    const lowOf = async (): Promise<number> => {
      const state = new Map<string, number>();
      const table = await CompactedTable.open(bus.messaging, {
        topic,
        apply: (key) => {
          state.set(key, (state.get(key) ?? 0) + 1);
        },
      });
      await table.close();
      return [...state.values()].reduce((sum, times) => sum + times, 0);
    };
    let written = 0;
    // The cleaner runs in its own time; it cleans a segment only when a newer one exists.
    await eventually(
      async () => {
        await bus.messaging.publish([{ topic, key: `key ${written % 3}`, value: String(written++) }]);
        return written > 30 && (await lowOf()) < written - 5;
      },
      { intervalMs: 150, message: 'the log cleaner' },
    );
    const state = await openTable();
    expect(state.get(`key ${(written - 1) % 3}`)).toBe(String(written - 1));
  });

  it('catches up although the last offset holds no message', async () => {
    const producer = createDriver(bus.messaging.driver).producer({
      transactionalId: uniqueName('transaction'),
    });
    await producer.connect();
    const transaction = await producer.transaction();
    await transaction.send({ topic: bus.messaging.prefixed(topic), messages: [{ key: 'a', value: '1' }] });
    await transaction.commit();
    await producer.disconnect();
    // The transaction's marker takes an offset, and follows the acknowledged commit.
    await eventually(async () => (await endOf(topic)) === 2);
    const state = await openTable();
    expect(state.get('a')).toBe('1');
    await bus.messaging.publish([{ topic, key: 'a', value: '2' }]);
    await eventually(() => state.get('a') === '2');
  });

  it('removes keys that were deleted while Kafka was unreachable for longer than it keeps tombstones', async () => {
    topic = uniqueName('forgetful');
    await createTopic({
      'segment.ms': '100',
      'min.cleanable.dirty.ratio': '0.01',
      'max.compaction.lag.ms': '100',
      'delete.retention.ms': '1000',
    });
    const link = closing.add(await openKafkaLink(testStack().kafkaBrokers), (each) => each.close());
    const reader = closing.add(await openBus({ brokers: [link.address] }), ({ messaging }) =>
      messaging.close(),
    );
    await publish(['kept', '1'], ['gone', '1']);
    const state = await openTable(reader);
    expect(state.get('gone')).toBe('1');
    link.cut();
    const cutMs = performance.now();
    await publish(['gone', null]);
    let written = 0;
    // No record of the key is left, not even its tombstone.
    await eventually(
      async () => {
        await publish([`other ${written++ % 3}`, 'x']);
        return (await keysIn(topic)).every((key) => key !== 'gone');
      },
      { intervalMs: 200, message: 'the log cleaner' },
    );
    await eventually(() => !reader.messaging.healthy());
    // A shorter time is no gap for a reader: no topic of the product keeps tombstones for less than hours.
    await eventually(() => performance.now() - cutMs > FETCH_STALE_MS);
    await publish(['kept', '2']);
    link.mend();
    await eventually(() => state.get('kept') === '2' && !state.has('gone'));
    await publish(['gone', '2']);
    await eventually(() => state.get('gone') === '2' && reader.messaging.healthy());
  });

  it('a compacted table is open when everything in its topic has been removed', async () => {
    await bus.messaging.publish([{ topic, key: 'a', value: '1' }]);
    await bus.messaging.administer(async (admin) => {
      const name = bus.messaging.prefixed(topic);
      const ends = await admin.fetchTopicOffsets(name);
      await admin.alterConfigs({
        validateOnly: false,
        resources: [{ type: 2, name, configEntries: [{ name: 'cleanup.policy', value: 'delete' }] }],
      });
      const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
      // The broker refuses until it has received the new policy from the controller.
      await eventually(() => admin.deleteTopicRecords({ topic: name, partitions }).then(() => true));
    });
    const state = await openTable();
    expect(state.size).toBe(0);
  });

  it('a topic that is read anew is applied in the order of its log', async () => {
    topic = uniqueName('ordered');
    await createTopic({}, 1);
    // As of a person who is invited by e-mail, and known by a subject since the invitation was accepted.
    for (const fact of [
      ['e-mail', 'invited'],
      ['subject', 'member'],
      ['e-mail', null],
    ] as const)
      await publish(fact);
    const applied: string[] = [];
    const table = await CompactedTable.open(bus.messaging, { topic, apply: (key) => applied.push(key) });
    closing.add(table, (each) => each.close());
    expect(applied.slice(-2)).toEqual(['subject', 'e-mail']);
    const before = applied.length;
    table.feed().onGap?.(Infinity);
    await eventually(() => applied.length > before);
    expect(applied.slice(before)).toEqual(['subject', 'e-mail']);
  });

  it('a topic that is read anew is whole only when its own partition was answered for, however often answers have nothing of others', async () => {
    topic = uniqueName('spread');
    await createTopic({}, 1);
    const [state, forgotten] = [new Map<string, string | null>(), [] as string[]];
    const table = await CompactedTable.open(bus.messaging, {
      topic,
      apply: (key, value) => state.set(key, value),
      held: { keys: () => state.keys(), forget: (key) => forgotten.push(key) },
    });
    closing.add(table, (each) => each.close());
    await publish(['kept', '1']);
    // The next fetch of its broker has begun, and waits there for two seconds.
    await eventually(() => state.has('kept'));
    const feed = table.feed();
    feed.onGap?.(Infinity);
    await eventually(() => !table.healthy(), { intervalMs: 5 });
    for (let times = 0; times < 9; times++) feed.onNothing?.(ANOTHER_PARTITION);
    await eventually(() => table.healthy());
    expect(forgotten).toEqual([]);
  });

  it('a topic that is read anew is whole when its last records are gone, however often other partitions have some', async () => {
    topic = uniqueName('gone');
    await createTopic({}, 1);
    const table = await CompactedTable.open(bus.messaging, { topic, apply: () => undefined });
    closing.add(table, (each) => each.close());
    const ends = [{ partition: ANOTHER_PARTITION, offset: '2', low: '0', high: '2' }];
    bus.messaging.administer = () => Promise.resolve(ends as never);
    const feed = table.feed();
    feed.onStartOver?.();
    await eventually(() => {
      feed.onNothing?.(ANOTHER_PARTITION);
      feed.onPosition?.(0, 1);
      return table.healthy();
    });
  });

  it('a table that is read anew while its process ends rejects nothing that nobody catches', async () => {
    await publish(['kept', '1']);
    const table = await CompactedTable.open(bus.messaging, { topic, apply: () => undefined });
    closing.add(table, (each) => each.close());
    const rejected: unknown[] = [];
    const onRejected = (error: unknown): void => void rejected.push(error);
    process.on('unhandledRejection', onRejected);
    try {
      let asked = 0;
      bus.messaging.administer = () => {
        asked += 1;
        return Promise.reject(new Error('Kafka is gone.'));
      };
      table.feed().onStartOver?.();
      await eventually(() => asked > 1);
      await bus.messaging.close();
      await new Promise((resolve) => setImmediate(resolve));
      expect(rejected).toEqual([]);
    } finally {
      process.off('unhandledRejection', onRejected);
    }
  });

  it('counts a record that it cannot apply, and goes on', async () => {
    await produceRaw(bus.messaging, topic, [
      { key: 'bad', value: 'bad' },
      { key: 'good', value: 'good' },
    ]);
    const state = await openTable();
    expect([...state]).toEqual([['good', 'good']]);
    expect(bus.total('messaging_table_failures_total')).toBe(1);
  });
});

async function createTopic(config: Readonly<Record<string, string>>, partitions = 2): Promise<void> {
  await bus.messaging.ensureTopics([
    { name: topic, partitions, config: { 'cleanup.policy': 'compact', ...config } },
  ]);
}

async function publish(...facts: readonly (readonly [key: string, value: string | null])[]): Promise<void> {
  await bus.messaging.publish(facts.map(([key, value]) => ({ topic, key, value })));
}

/** Keys of every record that a reader from the start receives. */
async function keysIn(name: string): Promise<readonly string[]> {
  const keys: string[] = [];
  const table = await CompactedTable.open(bus.messaging, { topic: name, apply: (key) => keys.push(key) });
  await table.close();
  return keys;
}

/** Sum of the end offsets of its partitions. */
async function endOf(name: string): Promise<number> {
  const ends = await bus.messaging.administer((admin) =>
    admin.fetchTopicOffsets(bus.messaging.prefixed(name)),
  );
  return ends.reduce((sum, { high }) => sum + Number(high), 0);
}

async function openTable({ messaging } = bus): Promise<ReadonlyMap<string, string>> {
  const state = new Map<string, string>();
  const table = await CompactedTable.open(messaging, {
    topic,
    apply: (key, value) => {
      if (value === 'bad') throw new Error('cannot be applied');
      if (value === null) state.delete(key);
      else state.set(key, value);
    },
    held: { keys: () => state.keys(), forget: (key) => state.delete(key) },
  });
  closing.add(table, (each) => each.close());
  return state;
}
