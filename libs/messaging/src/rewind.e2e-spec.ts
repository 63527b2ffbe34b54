import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@truetally/testing';
import { subscribe, type Subscription } from './facts/subscribe.js';
import { beginGroup, membersOfGroups, moveGroup, rewindGroups, type RewoundPartition } from './rewind.js';
import { Closing, openBus, type TestBus } from './testing/bus.js';
import { committedOffsets, produceRaw } from './testing/raw.js';

/** The time of the record with this number, in epoch milliseconds. */
const timeOf = (number: number): number => Date.UTC(2026, 10, 1) + number * 1_000;
const RECORDS = 10;

const closing = new Closing();
let bus: TestBus;
let owner: string;
let topic: string;
let group: string;

beforeEach(async () => {
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  owner = uniqueName('owner');
  topic = uniqueName('topic');
  group = `${owner}.follow`;
  await bus.messaging.ensureTopics([{ name: topic, partitions: 1, config: { 'retention.ms': '-1' } }]);
  const messages = Array.from({ length: RECORDS }, (_, number) => ({
    key: 'key',
    value: String(number),
    timestamp: String(timeOf(number)),
  }));
  await produceRaw(bus.messaging, topic, messages);
});

afterEach(() => closing.closeAll());

async function read(seen: string[]): Promise<Subscription> {
  return subscribe(bus.messaging, {
    topics: [topic],
    group,
    handler: (facts) => Promise.resolve(void seen.push(...facts.map(({ value }) => String(value)))),
  });
}

async function readToEnd(): Promise<readonly string[]> {
  const seen: string[] = [];
  const subscription = await read(seen);
  await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === RECORDS);
  await subscription.close();
  return seen;
}

const rewind = (sinceMs: number, topics = [topic]): Promise<readonly RewoundPartition[]> =>
  rewindGroups(bus.messaging, { owners: [owner], topics, sinceMs });

describe('groups that are set back', () => {
  it('read again what was written since, and nothing else', async () => {
    await readToEnd();
    expect(await rewind(timeOf(6))).toEqual([
      { group, topic, partition: 0, from: RECORDS, to: 6, isCutOff: false },
    ]);
    expect(await readToEnd()).toEqual(['6', '7', '8', '9']);
  });

  it('stay where they are when it is repeated, later, of another topic or of another owner', async () => {
    await readToEnd();
    expect(await rewind(timeOf(0), ['another'])).toEqual([]);
    await rewind(timeOf(3));
    expect(await rewind(timeOf(3))).toEqual([]);
    expect(await rewind(timeOf(8))).toEqual([]);
    expect(await rewindGroups(bus.messaging, { owners: ['another'], topics: [topic], sinceMs: 0 })).toEqual(
      [],
    );
    expect(await committedOffsets(bus.messaging, group, topic)).toBe(3);
  });

  it('begin at the oldest record that Kafka has, and say so', async () => {
    await readToEnd();
    await bus.messaging.administer(async (admin) => {
      const prefixed = bus.messaging.prefixed(topic);
      // The driver knows only topics of which it has asked something.
      await admin.fetchTopicOffsets(prefixed);
      await admin.deleteTopicRecords({ topic: prefixed, partitions: [{ partition: 0, offset: '4' }] });
    });
    expect(await rewind(timeOf(2))).toEqual([
      { group, topic, partition: 0, from: RECORDS, to: 4, isCutOff: true },
    ]);
    expect(await readToEnd()).toEqual(['4', '5', '6', '7', '8', '9']);
  });

  it('groups are not moved while they have members, which are named', async () => {
    const subscription = await read([]);
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === RECORDS);
    expect(await membersOfGroups(bus.messaging, [owner])).toEqual([group]);
    await expect(rewind(timeOf(0))).rejects.toThrow('does a service read?');
    expect(await committedOffsets(bus.messaging, group, topic)).toBe(RECORDS);
    await subscription.close();
    expect(await membersOfGroups(bus.messaging, [owner])).toEqual([]);
  });
});

describe('a group that has read nothing', () => {
  const begin = (number: number): Promise<void> =>
    beginGroup(bus.messaging, { group, topics: [topic], sinceMs: timeOf(number) });

  it('begins a minute before the time that it is given, for clocks that differ, and at the end where nothing came since', async () => {
    await begin(64);
    expect(await readToEnd()).toEqual(['4', '5', '6', '7', '8', '9']);
    group = `${owner}.another`;
    await begin(90);
    expect(await committedOffsets(bus.messaging, group, topic)).toBe(RECORDS);
  });

  it('begins in all its topics at once, without a member that joins it, for which brokers would wait', async () => {
    const topics = [topic, uniqueName('another')];
    await bus.messaging.ensureTopics(topics.map((name) => ({ name, partitions: 2 })));
    await beginGroup(bus.messaging, { group, topics, sinceMs: timeOf(0) });
    const places = await bus.messaging.lag(group);
    expect(new Set(places.map((place) => place.topic))).toEqual(new Set(topics));
    const [described] = await bus.messaging.administer(
      async (admin) => (await admin.describeGroups([bus.messaging.prefixed(group)])).groups,
    );
    expect(described).toMatchObject({ state: 'Empty', protocolType: '' });
  });

  it('a place that Kafka refuses for another reason than members is refused with that reason', async () => {
    const moved = moveGroup(bus.messaging, group, [{ topic: uniqueName('missing'), partition: 0, to: 0 }]);
    await expect(moved).rejects.toThrow('This server does not host this topic-partition');
  });

  it('keeps what it has read, or is reading, when it is told to begin once more', async () => {
    const subscription = await read([]);
    await begin(0);
    await eventually(async () => (await committedOffsets(bus.messaging, group, topic)) === RECORDS);
    await subscription.close();
    await begin(0);
    expect(await committedOffsets(bus.messaging, group, topic)).toBe(RECORDS);
  });
});
