import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { eventually, uniqueName } from '@truetally/testing';
import { KafkaAskClient, ReplyJanitor } from '../index.js';
import { ABANDONED_REPLIES_MS } from '../limits.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';

let closing: Closing;
let bus: TestBus;

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
});

afterEach(async () => {
  jest.restoreAllMocks();
  await closing.closeAll();
});

describe('the janitor of reply topics', () => {
  it('deletes those without a reader, and keeps those with one', async () => {
    const client = closing.add(new KafkaAskClient(bus.messaging), (each) => each.close());
    await client.connect();
    const abandoned = `replies.${uniqueName('dead')}`;
    const other = uniqueName('other');
    await bus.messaging.ensureTopics([
      { name: abandoned, partitions: 1 },
      { name: other, partitions: 1 },
    ]);
    const janitor = closing.add(
      new ReplyJanitor(bus.messaging, { intervalMs: 200, abandonedMs: 1_000 }),
      (each) => each.stop(),
    );
    janitor.start();
    await eventually(async () => !(await topics()).includes(abandoned));
    const left = await topics();
    expect(left).toContain(`replies.${bus.messaging.options.instance}`);
    expect(left).toContain(other);
  });

  it.each([
    ['an outage', true],
    ['a stop of its process', false],
  ])(
    'keeps one whose reader is not back at once behind %s, however long that was',
    async (_what, isOutage) => {
      const topic = `replies.${uniqueName('living')}`;
      await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
      const now = performance.now.bind(performance);
      const administer = bus.messaging.administer.bind(bus.messaging);
      let isAway = false;
      let looks = 0;
      jest.spyOn(bus.messaging, 'administer').mockImplementation(async (work) => {
        if (!isAway) return administer(work).finally(() => looks++);
        looks++;
        throw new Error('Kafka is away');
      });
      /** A look that has begun since. */
      const looked = (): Promise<unknown> => {
        const before = looks;
        return eventually(() => looks >= before + 2);
      };
      const janitor = closing.add(
        new ReplyJanitor(bus.messaging, { intervalMs: 50, abandonedMs: ABANDONED_REPLIES_MS }),
        (each) => each.stop(),
      );
      janitor.start();
      await looked();
      if (isOutage) {
        isAway = true;
        await looked();
      }
      jest.spyOn(performance, 'now').mockImplementation(() => now() + ABANDONED_REPLIES_MS);
      isAway = false;
      await looked();
      expect(await topics()).toContain(topic);
    },
  );
});

async function topics(): Promise<readonly string[]> {
  const names = await bus.messaging.administer((admin) => admin.listTopics());
  return names.map((name) => bus.messaging.unprefixed(name));
}
