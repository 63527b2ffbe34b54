import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type LocalKafka, startKafka } from '@truetally/testing';
import { CompactedTable, KafkaAskClient, type Messaging, subscribe } from './index.js';
import { AskingLoad } from './testing/asking-load.js';
import { Closing, openBus } from './testing/bus.js';
import { serveBatches } from './testing/services.js';

const closing = new Closing();
let kafka: LocalKafka;
let server: Messaging;
let asker: Messaging;

beforeAll(async () => {
  const folder = closing.add(await mkdtemp(join(tmpdir(), 'broker-')), (path) =>
    rm(path, { recursive: true }),
  );
  kafka = closing.add(await startKafka({ dataDir: folder }), (each) => each.stop());
  const brokers = [kafka.brokers];
  ({ messaging: server } = closing.add(await openBus({ brokers }), ({ messaging }) => messaging.close()));
  ({ messaging: asker } = closing.add(await openBus({ brokers }), ({ messaging }) => messaging.close()));
});

afterAll(() => closing.closeAll());

describe('when the broker is killed and comes back', () => {
  it('every ask that was accepted is answered, and those in between are refused', async () => {
    await server.ensureTopics([{ name: 'work', partitions: 6 }]);
    const app = await serveBatches(server, 'work', (requests) =>
      Promise.resolve(requests.map(({ value }) => ({ reply: { ok: value } }))),
    );
    closing.add(app, (each) => each.close());
    const client = closing.add(new KafkaAskClient(asker, { deadlineMs: 90_000 }), (each) => each.close());
    await client.connect();
    const load = new AskingLoad(client, 'work');
    load.start(16);
    await eventually(() => load.answered > 500);
    await kafka.kill();
    const refusal = await eventually(() =>
      client
        .ask({ to: 'work', key: 'k', value: 'v', deadlineMs: 1 })
        .then((reply) => 'error' in reply && reply.error.message === 'Kafka is not reachable' && reply),
    );
    expect(refusal.error.code).toBe('UNAVAILABLE');
    expect(asker.healthy()).toBe(false);
    await kafka.restart();
    const atRestart = load.answered;
    await eventually(() => load.answered > atRestart + 1_000);
    await load.stop();
    // The askers got refusals while Kafka was down, and nothing else: every accepted ask was answered.
    for (const reply of load.refused)
      expect(reply).toMatchObject({ error: { message: 'Kafka is not reachable' } });
    await eventually(() => asker.healthy() && server.healthy());
  });

  it('facts published meanwhile arrive in order, tables and subscriptions go on', async () => {
    await server.ensureTopics([
      { name: 'table', partitions: 2, config: { 'cleanup.policy': 'compact' } },
      { name: 'facts', partitions: 2 },
    ]);
    const seen: string[] = [];
    const subscription = await subscribe(server, {
      topics: ['facts'],
      group: 'followers',
      handler: (facts) => {
        seen.push(...facts.map(({ value }) => value ?? ''));
        return Promise.resolve();
      },
    });
    closing.add(subscription, (each) => each.close());
    const state = new Map<string, string>();
    const table = await CompactedTable.open(asker, {
      topic: 'table',
      apply: (key, value) => {
        if (value === null) state.delete(key);
        else state.set(key, value);
      },
    });
    closing.add(table, (each) => each.close());
    await publishNumbered(0, 10);
    await eventually(() => seen.length === 10 && state.get('k') === '9');
    await kafka.kill();
    const published = publishNumbered(10, 20);
    await eventually(() => !table.healthy());
    await kafka.restart();
    await published;
    await eventually(() => state.get('k') === '19' && state.get('gone') === undefined);
    await eventually(() => new Set(seen).size === 20);
    const inOrder = [...new Set(seen)];
    expect(inOrder).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
    await eventually(() => table.healthy());
  });

  it('a process can end meanwhile', async () => {
    await server.ensureTopics([{ name: 'ending', partitions: 1 }]);
    const { messaging } = await openBus({ brokers: [kafka.brokers] });
    const app = await serveBatches(
      messaging,
      'ending',
      (requests) => Promise.resolve(requests.map(() => ({ reply: { ok: null } }))),
      {},
      { group: 'ending' },
    );
    const client = new KafkaAskClient(messaging);
    await client.connect();
    await kafka.kill();
    await eventually(() => !messaging.healthy());
    await client.close();
    await app.close();
    await messaging.close();
    await kafka.restart();
  });
});

async function publishNumbered(from: number, end: number): Promise<void> {
  for (let number = from; number < end; number++) {
    await asker.publish([
      { topic: 'facts', key: 'one key', value: String(number) },
      { topic: 'table', key: 'k', value: String(number) },
      { topic: 'table', key: 'gone', value: number === end - 1 ? null : String(number) },
    ]);
  }
}
