import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, openKafkaLink, testStack, uniqueName } from '@truetally/testing';
import { MessagingClosedError } from '../errors.js';
import { ASIDE_IN_HAND, FETCH_STALE_MS, FETCH_WAIT_MS } from '../limits.js';
import { KafkaAskClient, type Messaging, subscribe } from '../index.js';
import { moveGroup } from '../rewind.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { harness } from '../testing/queue-harness.js';
import { committedOffsets } from '../testing/raw.js';
import { GroupConsumer } from './group-consumer.js';
import { WorkQueue } from './work-queue.js';

let closing: Closing;
let bus: TestBus;
let topic: string;
let group: string;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  topic = uniqueName('consumed');
  group = uniqueName('group');
});

afterEach(() => closing.closeAll());

/** A member of the group that holds its messages until it is released. */
async function holdingMember(messaging: Messaging, topics = [topic], rows = 100) {
  const gate = Promise.withResolvers<undefined>();
  const seen: string[] = [];
  const queue = new WorkQueue<string, undefined>({
    group,
    rows,
    transactions: rows === 1 ? 1 : 10,
    unstored: 1_000,
    log: messaging.options.log,
    onMetric: messaging.onMetric,
    handle: async (items) => {
      seen.push(...items);
      await gate.promise;
      return items.map(() => undefined);
    },
    isExpired: () => false,
    settle: () => undefined,
    giveUp: () => Promise.resolve(),
  });
  const consumer = new GroupConsumer<string>(messaging, {
    group,
    topics,
    queue,
    decode: (_topic, _partition, message) => ({
      item: message.value?.toString() ?? '',
      weight: 1,
      lane: undefined,
    }),
  });
  await consumer.start();
  closing.add(consumer, (each) => each.close(1_000));
  return {
    seen,
    letGo: () => {
      gate.resolve(undefined);
    },
    leave: () => consumer.close(1_000),
  };
}

const publish = (messaging: Messaging, values: readonly string[], to = topic): Promise<void> =>
  messaging.publish(values.map((value) => ({ topic: to, key: value, value })));

/** Two members that hold their messages. The second joined when the first had all of them, and has one partition. */
async function twoMembers() {
  await bus.messaging.ensureTopics([{ name: topic, partitions: 2 }]);
  const first = await holdingMember(bus.messaging);
  const values = Array.from({ length: 20 }, (_, index) => `value ${index}`);
  await publish(bus.messaging, values);
  await eventually(() => first.seen.length === values.length);
  const other = closing.add(await openBus(), ({ messaging }) => messaging.close());
  const second = await holdingMember(other.messaging);
  // Nothing was committed, so that the partition's new owner gets all of it.
  await eventually(() => second.seen.length > 0);
  return { first, second, values };
}

async function recreate(messaging: Messaging): Promise<void> {
  const name = messaging.prefixed(topic);
  await messaging.administer((admin) => admin.deleteTopics({ topics: [name] }));
  await eventually(async () =>
    messaging.administer(async (admin) => !(await admin.listTopics()).includes(name)),
  );
  await messaging.ensureTopics([{ name: topic, partitions: 1 }]);
}

describe('a group member', () => {
  it('a process whose broker hangs has closed before its commit, its facts and its asks are given up', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    const [broker = ''] = testStack().kafkaBrokers.split(',');
    const link = closing.add(await openKafkaLink(broker), (each) => each.close());
    const told: string[] = [];
    const tell = (_fields: object, message: string): void => void told.push(message);
    const log = { debug: tell, info: tell, warn: tell, error: tell };
    const { messaging } = await openBus({ brokers: [link.address], log });
    const asks = new KafkaAskClient(messaging);
    await asks.connect();
    const member = await holdingMember(messaging);
    await publish(bus.messaging, ['in progress']);
    await eventually(() => member.seen.length === 1);
    link.stall();
    member.letGo();
    const published = publish(messaging, ['unsent']).catch((error: unknown) => error);
    // By then the commit is on its way.
    await eventually(() => !messaging.healthy());
    await member.leave();
    await eventually(() => !asks.isAccepting());
    const givenUp = messaging.administer((admin) => admin.listTopics()).catch(() => 'given up');
    expect(await Promise.race([asks.close(), givenUp])).toBeUndefined();
    await messaging.close();
    expect(told).not.toContain('offsets not committed yet');
    expect(await published).toBeInstanceOf(MessagingClosedError);
  });

  it('reads a recreated topic from its beginning, although it had read further before', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    const member = await holdingMember(bus.messaging);
    member.letGo();
    await publish(bus.messaging, ['1', '2', '3', '4', '5']);
    await eventually(() => member.seen.length === 5);
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === 5);
    await recreate(bus.messaging);
    await publish(bus.messaging, ['new']);
    await eventually(() => member.seen.includes('new'));
  });

  it('a group member handling messages of a deleted topic reads the new one, and commits none of these', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    const member = await holdingMember(bus.messaging);
    await publish(bus.messaging, ['1', '2', '3', '4', '5']);
    await eventually(() => member.seen.length === 5);
    await recreate(bus.messaging);
    await publish(bus.messaging, ['new', 'again']);
    await eventually(() => member.seen.includes('again'));
    member.letGo();
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === 2);
    expect(member.seen).toEqual(['1', '2', '3', '4', '5', 'new', 'again']);
  });

  it('handles no message twice when a partition returns while its messages are being handled', async () => {
    const { first, second, values } = await twoMembers();
    await second.leave();
    const later = Array.from({ length: 20 }, (_, index) => `later ${index}`);
    await publish(bus.messaging, later);
    // Later messages of its partition are read after the first ones.
    await eventually(() => later.every((value) => first.seen.includes(value)));
    expect(first.seen.toSorted()).toEqual([...values, ...later].toSorted());
  });

  it('commits nothing of a partition that another member owns by now, and finishes its own messages of it', async () => {
    const { first, second, values } = await twoMembers();
    const moved = values.filter((value) => second.seen.includes(value));
    expect(moved.length).toBeLessThan(values.length);
    first.letGo();
    await eventually(async () => {
      const committed = await committedOffsets(bus.messaging, group, topic);
      expect(committed).toBeLessThanOrEqual(values.length - moved.length);
      return committed === values.length - moved.length;
    });
    second.letGo();
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === values.length);
    expect(new Set(first.seen)).toEqual(new Set(values));
  });

  it('a group member that loses a partition makes nothing of it but what it has begun', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 2 }]);
    const first = await holdingMember(bus.messaging, [topic], 1);
    const values = Array.from({ length: 20 }, (_, index) => `value ${index}`);
    await publish(bus.messaging, values);
    await eventually(() => first.seen.length === 1);
    const other = closing.add(await openBus(), ({ messaging }) => messaging.close());
    const second = await holdingMember(other.messaging);
    await eventually(() => second.seen.length > 0);
    first.letGo();
    second.letGo();
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === values.length);
    const [begun] = first.seen;
    const twice = first.seen.filter((value) => second.seen.includes(value));
    expect(twice.filter((value) => value !== begun)).toEqual([]);
    expect(new Set([...first.seen, ...second.seen])).toEqual(new Set(values));
  });

  it('a group member that comes back takes no partition back behind what another one has committed meanwhile', async () => {
    const quiet = uniqueName('quiet');
    const topics = [topic, quiet];
    await bus.messaging.ensureTopics(topics.map((name) => ({ name, partitions: 1 })));
    const [broker = ''] = testStack().kafkaBrokers.split(',');
    const link = closing.add(await openKafkaLink(broker), (each) => each.close());
    const far = closing.add(await openBus({ brokers: [link.address] }), ({ messaging }) => messaging.close());
    const first = await holdingMember(far.messaging, topics);
    await publish(bus.messaging, ['1', '2'], quiet);
    await eventually(() => first.seen.length === 2);
    // It finishes them, and its commit does not arrive.
    link.stall();
    const stalledMs = performance.now();
    first.letGo();
    const second = await holdingMember(bus.messaging, topics);
    second.letGo();
    // Its open fetch does not find them any more.
    await eventually(() => performance.now() - stalledMs > FETCH_WAIT_MS);
    await publish(bus.messaging, ['3', '4'], quiet);
    await eventually(async () => (await committedOffsets(bus.messaging, group, quiet)) === 4);
    await second.leave();
    link.resume();
    await publish(bus.messaging, ['of the other topic']);
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === 1);
    expect(await committedOffsets(bus.messaging, group, quiet)).toBe(4);
    await publish(bus.messaging, ['5'], quiet);
    await eventually(async () => (await committedOffsets(bus.messaging, group, quiet)) === 5);
  });

  it('a group member that gets its last record again takes the log for the same, and commits it again', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    const [broker = ''] = testStack().kafkaBrokers.split(',');
    const link = closing.add(await openKafkaLink(broker), (each) => each.close());
    const far = closing.add(await openBus({ brokers: [link.address] }), ({ messaging }) => messaging.close());
    const member = await holdingMember(far.messaging);
    member.letGo();
    await publish(bus.messaging, ['1', '2', '3']);
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === 3);
    link.stall();
    const back = [{ topic, partition: 0, to: 2 }];
    // Refused until the stalled member's session has ended.
    await eventually(() =>
      moveGroup(bus.messaging, group, back).then(
        () => true,
        () => false,
      ),
    );
    link.resume();
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === 3);
    expect(member.seen).toEqual(['1', '2', '3']);
    expect(far.complaints.filter((said) => said.includes('not the one that was read from'))).toEqual([]);
  });

  it('stops fetching while too many unreadable messages are in progress', async () => {
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    const gate = Promise.withResolvers<undefined>();
    let aside = 0;
    const consumer = new GroupConsumer<number>(bus.messaging, {
      group,
      topics: [topic],
      queue: harness({}).queue,
      decode: () => () => {
        aside++;
        return gate.promise;
      },
    });
    await consumer.start();
    closing.add(consumer, (each) => each.close(1_000));
    await publish(bus.messaging, Array.from({ length: ASIDE_IN_HAND }, String));
    await eventually(() => aside === ASIDE_IN_HAND);
    let read = 0;
    const reader = await subscribe(bus.messaging, {
      topics: [topic],
      group: uniqueName('reader'),
      handler: (facts) => {
        read += facts.length;
        return Promise.resolve();
      },
    });
    closing.add(reader, (each) => each.close());
    for (let index = 0; index < 50; index++) await publish(bus.messaging, [`more ${index}`]);
    // Members that are not blocked have them all by now.
    await eventually(() => read === ASIDE_IN_HAND + 50);
    expect(aside).toBe(ASIDE_IN_HAND);
    // A waiting member fetches nothing, and is healthy.
    const waitingSinceMs = performance.now();
    await eventually(() => performance.now() - waitingSinceMs > FETCH_WAIT_MS + FETCH_STALE_MS);
    expect(bus.messaging.healthy()).toBe(true);
    gate.resolve(undefined);
    await eventually(() => aside === ASIDE_IN_HAND + 50);
    await eventually(
      async () => (await committedOffsets(bus.messaging, group, topic)) === ASIDE_IN_HAND + 50,
    );
  });
});
