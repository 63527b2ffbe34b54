import { afterEach, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@truetally/testing';
import { CompactedTable, subscribe, type Subscription } from '../index.js';
import { FETCH_STALE_MS, FETCH_WAIT_MS, SESSION_TIMEOUT_MS } from '../limits.js';
import { Closing, openBus, type TestBus } from '../testing/bus.js';

const WATCHED_MS = Math.max(SESSION_TIMEOUT_MS, FETCH_WAIT_MS + FETCH_STALE_MS) + 1_000;

const closing = new Closing();

afterEach(() => closing.closeAll());

it('an idle member, and an idle reader of a patient process, are healthy, and the member takes over when it is needed', async () => {
  const [topic, group] = [uniqueName('narrow'), uniqueName('group')];
  // First: its fourth fetch is the one that waits longer.
  const patient = await openPatientTable();
  const received: string[][] = [[], []];
  const members: { readonly bus: TestBus; readonly subscription: Subscription }[] = [];
  for (const own of received) {
    const bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
    await bus.messaging.ensureTopics([{ name: topic, partitions: 1 }]);
    const subscription = await subscribe(bus.messaging, {
      topics: [topic],
      group,
      handler: (facts) => {
        own.push(...facts.map(({ value }) => String(value)));
        return Promise.resolve();
      },
    });
    closing.add(subscription, () => subscription.close());
    members.push({ bus, subscription });
  }
  const [first, second] = members;
  if (first === undefined || second === undefined) throw new Error('There are two members.');
  const isEachWell = (): boolean =>
    members.every(({ bus }) => bus.messaging.healthy()) && patient.messaging.healthy();
  await eventually(isEachWell, { message: 'all of them to be well' });
  // Longer than the maximum age of a fetch, and than a session without heartbeats.
  const startedAt = performance.now();
  let unwell = 0;
  await eventually(
    () => {
      if (!isEachWell()) unwell += 1;
      return performance.now() - startedAt > WATCHED_MS;
    },
    { timeoutMs: 2 * WATCHED_MS, intervalMs: 100 },
  );
  expect(unwell).toBe(0);
  await first.bus.messaging.publish([{ topic, key: 'k', value: 'one' }]);
  await eventually(() => received.flat().length === 1);
  const [owner, idle] = received[0]?.length === 1 ? [first, second] : [second, first];
  await owner.subscription.close();
  await idle.bus.messaging.publish([{ topic, key: 'k', value: 'two' }]);
  await eventually(() => received[members.indexOf(idle)]?.includes('two'), {
    message: 'the idle member to take over',
  });
  // A fetch that waits is no time without Kafka, behind which it would read the topic again.
  expect(patient.complaints.join()).not.toContain('read anew');
});

it('a member stops at once, although its fetch has just begun to wait at the broker', async () => {
  // Where it waited for its fetch it would take the whole wait each time; a busy machine may take long once.
  await eventually(async () => (await msOfStop()) < FETCH_WAIT_MS / 2);
});

/** Of a member that has just read, so that its next fetch has begun. */
async function msOfStop(): Promise<number> {
  const topic = uniqueName('quiet');
  const { messaging } = closing.add(await openBus(), (bus) => bus.messaging.close());
  await messaging.ensureTopics([{ name: topic, partitions: 1 }]);
  const read = Promise.withResolvers<undefined>();
  const subscription = await subscribe(messaging, {
    topics: [topic],
    group: uniqueName('group'),
    handler: () => Promise.resolve(read.resolve(undefined)),
  });
  await messaging.publish([{ topic, key: 'k', value: 'one' }]);
  await read.promise;
  const startedAt = performance.now();
  await subscription.close();
  return performance.now() - startedAt;
}

/** A table whose tombstones are kept for a second. */
async function openPatientTable(): Promise<TestBus> {
  const topic = uniqueName('states');
  const bus = closing.add(await openBus({ isPatient: true }), ({ messaging }) => messaging.close());
  const config = { 'cleanup.policy': 'compact', 'delete.retention.ms': '1000' };
  await bus.messaging.ensureTopics([{ name: topic, partitions: 1, config }]);
  const table = await CompactedTable.open(bus.messaging, { topic, apply: () => undefined });
  closing.add(table, () => table.close());
  return bus;
}
