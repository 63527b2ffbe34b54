import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { eventually, uniqueName } from '@truetally/testing';
import { Closing, openBus, type TestBus } from '../testing/bus.js';
import { readAll } from '../testing/raw.js';

let closing: Closing;
let bus: TestBus;
let [deleted, other] = ['', ''];

beforeEach(async () => {
  closing = new Closing();
  bus = closing.add(await openBus(), ({ messaging }) => messaging.close());
  [deleted, other] = [uniqueName('deleted'), uniqueName('other')];
  await bus.messaging.ensureTopics([deleted, other].map((name) => ({ name, partitions: 1 })));
  await publish(deleted, 'before');
  const name = bus.messaging.prefixed(deleted);
  await bus.messaging.administer(async (admin) => {
    await admin.deleteTopics({ topics: [name] });
    // Until a broker knows it, it takes records still.
    await eventually(async () => !(await admin.listTopics()).includes(name));
  });
});

afterEach(() => closing.closeAll());

const publish = (topic: string, ...values: readonly string[]): Promise<void> =>
  bus.messaging.publish(values.map((value) => ({ topic, key: 'k', value })));

it('a fact for a deleted topic delays no other fact, and is published in order when the topic exists again', async () => {
  const first = publish(deleted, '1', '2');
  await eventually(() => bus.total('messaging_send_retries_total') > 0);
  await publish(other, 'a');
  const second = publish(deleted, '3');
  await publish(other, 'b');
  const third = publish(deleted, '4', '5');
  await publish(other, 'c');
  expect(bus.messaging.healthy()).toBe(true);

  await bus.messaging.ensureTopics([{ name: deleted, partitions: 1 }]);
  await Promise.all([first, second, third]);
  const told = async (topic: string) => (await readAll(bus.messaging, topic)).map(({ value }) => value);
  expect(await told(deleted)).toEqual(['1', '2', '3', '4', '5']);
  expect(new Set(await told(other))).toEqual(new Set(['a', 'b', 'c']));
});

it('a fact that waits for a deleted topic at the end is not reported as published', async () => {
  const messaging = (await openBus()).messaging;
  const waiting = messaging.publish([{ topic: deleted, key: 'k', value: '1' }]);
  const settled = expect(waiting).rejects.toThrow('Closed');
  await messaging.close();
  await settled;
});
