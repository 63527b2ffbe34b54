import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type LocalKafka, startKafka } from '@truetally/testing';
import { CompactedTable, type Messaging, subscribe } from './index.js';
import { Closing, openBus } from './testing/bus.js';

const closing = new Closing();
let kafka: LocalKafka;
let data: string;
let copy: string;
let follower: Messaging;
let writer: Messaging;

beforeAll(async () => {
  const folder = closing.add(await mkdtemp(join(tmpdir(), 'restored-')), (path) =>
    rm(path, { recursive: true }),
  );
  [data, copy] = [join(folder, 'data'), join(folder, 'copy')];
  kafka = closing.add(await startKafka({ dataDir: data }), (each) => each.stop());
  const open = async (): Promise<Messaging> => {
    const bus = await openBus({ brokers: [kafka.brokers] });
    return closing.add(bus, (each) => each.messaging.close()).messaging;
  };
  [follower, writer] = [await open(), await open()];
  await writer.ensureTopics([
    { name: 'table', partitions: 1, config: { 'cleanup.policy': 'compact' } },
    { name: 'log', partitions: 1 },
  ]);
});

afterAll(() => closing.closeAll());

/** Each with its own key, in the table and in the log. */
async function write(values: readonly string[]): Promise<void> {
  await writer.publish(
    values.flatMap((value) => [
      { topic: 'table', key: value, value },
      { topic: 'log', key: value, value },
    ]),
  );
}

const named = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name} ${n}`);

/** The same copy twice: what the first test has written behind it is lost with the second one. */
describe('a Kafka restored from an older copy while its readers run', () => {
  const seen = new Set<string>();
  const held = new Map<string, string>();
  const isThere = (value: string): boolean => seen.has(value) && held.has(value);

  beforeAll(async () => {
    const subscription = await subscribe(follower, {
      topics: ['log'],
      group: 'followers',
      handler: (facts) => {
        for (const { value } of facts) seen.add(value ?? '');
        return Promise.resolve();
      },
    });
    closing.add(subscription, (each) => each.close());
    const table = await CompactedTable.open(follower, {
      topic: 'table',
      apply: (key, value) => {
        if (value === null) held.delete(key);
        else held.set(key, value);
      },
    });
    closing.add(table, (each) => each.close());
    const first = named('first', 5);
    await write(first);
    await eventually(() => first.every(isThere));
    // As a snapshot of its disk: nothing is written meanwhile, and no broker has to start for it.
    await kafka.kill('SIGSTOP');
    await cp(data, copy, { recursive: true });
    await kafka.kill('SIGCONT');
  });

  it.each([
    ['by fewer records than were lost', 3],
    ['by more records than were lost, before anybody reads', 12],
  ])('uses offsets a second time, %s, and none of it is passed over', async (_how, count) => {
    const [lost, later] = [named(`lost ${count}`, 6), named(`later ${count}`, count)];
    await write(lost);
    await eventually(() => lost.every(isThere));
    await kafka.stop();
    await rm(data, { recursive: true });
    await cp(copy, data, { recursive: true });
    // The writer keeps it until Kafka is back, and then writes it at once.
    const written = write(later);
    await kafka.restart();
    await written;
    await eventually(() => later.every(isThere), {
      message: () => `what is missing: ${later.filter((value) => !isThere(value)).join()}`,
    });
    expect(follower.healthy()).toBe(true);
  });
});
