import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@truetally/testing';
import { subscribe, type Subscription } from '../facts/subscribe.js';
import { UNSTORED_FACTS } from '../limits.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';

/** More than a reader holds at a time. */
const LARGE = 3 * UNSTORED_FACTS;

let closing: Closing;
let bus: TestBus;
let topic: string;
let group: string;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  topic = uniqueName('facts');
  group = uniqueName('reader');
  await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
});

afterEach(() => closing.closeAll());

async function publish(...values: readonly string[]): Promise<void> {
  await bus.messaging.publish(values.map((value) => ({ topic, key: 'k', value })));
}

/** Removes what was written before this offset, as retention does. */
async function expire(offset: number): Promise<void> {
  await bus.messaging.administer(async (admin) => {
    const name = bus.messaging.prefixed(topic);
    // The driver finds the leader only of topics that it has asked for.
    await admin.fetchTopicOffsets(name);
    await admin.deleteTopicRecords({ topic: name, partitions: [{ partition: 0, offset: String(offset) }] });
  });
}

async function read(seen: string[], hold: () => Promise<void> = () => Promise.resolve()) {
  const subscription = await subscribe(bus.messaging, {
    topics: [topic],
    group,
    handler: async (facts) => {
      await hold();
      seen.push(...facts.map(({ value }) => value ?? ''));
    },
  });
  return closing.add(subscription, (one: Subscription) => one.close());
}

const expired = (): number => bus.total('messaging_expired_unread_total', { group, topic });

describe('records that expire before a group reads them', () => {
  it('records that expire before a group reads them are counted when the group comes back', async () => {
    const seen: string[] = [];
    await publish('1', '2');
    const first = await read(seen);
    await eventually(() => seen.length === 2);
    await first.close();
    await publish('3', '4', '5');
    await expire(4);
    const [known] = (await bus.messaging.lag()).filter((lag) => lag.group === group);
    expect(known).toMatchObject({ lag: 1, expired: 2 });
    await read(seen);
    await eventually(() => seen.includes('5'));
    expect(seen).toEqual(['1', '2', '5']);
    expect(expired()).toBe(2);
    expect(bus.complaints.filter((said) => said.includes('not the one that was read from'))).toEqual([]);
  });

  it('expired records are counted when a running reader is slower than they expire', async () => {
    const seen: string[] = [];
    const gate = Promise.withResolvers<undefined>();
    await read(seen, () => gate.promise.then(() => undefined));
    const large = Array.from({ length: LARGE }, (_, n) => `${n} ${'x'.repeat(1_000)}`);
    for (let from = 0; from < LARGE; from += 1_000) await publish(...large.slice(from, from + 1_000));
    // It fetches no more until its handler goes on.
    await eventually(() =>
      bus.measurements.some(
        ({ metric, value }) => metric === 'messaging_unstored' && value >= UNSTORED_FACTS,
      ),
    );
    await expire(LARGE);
    await publish('last');
    gate.resolve(undefined);
    await eventually(() => seen.includes('last'));
    expect(expired()).toBeGreaterThan(0);
    expect(seen.length + expired()).toBe(LARGE + 1);
  });

  it('no expired records are counted for a group that has read all of them, or is new', async () => {
    const seen: string[] = [];
    await publish('1', '2', '3');
    await expire(1);
    const first = await read(seen);
    await eventually(() => seen.length === 2);
    await first.close();
    await expire(3);
    await publish('4');
    await read(seen);
    await eventually(() => seen.includes('4'));
    expect(seen).toEqual(['2', '3', '4']);
    expect(expired()).toBe(0);
  });

  it('no expired records are counted where the topic was made anew', async () => {
    const seen: string[] = [];
    await publish('1', '2');
    const first = await read(seen);
    await eventually(() => seen.length === 2);
    await first.close();
    const name = bus.messaging.prefixed(topic);
    await bus.messaging.administer((admin) => admin.deleteTopics({ topics: [name] }));
    await eventually(async () => {
      const names = await bus.messaging.administer((admin) => admin.listTopics());
      return !names.includes(name);
    });
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    await publish('new');
    await read(seen);
    await eventually(() => seen.includes('new'));
    expect(expired()).toBe(0);
  });
});
