import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, type LocalKafka, startKafka } from '@truetally/testing';
import { CompactedTable, KafkaAskClient, type Messaging, subscribe } from './index.js';
import { AskingLoad } from './testing/asking-load.js';
import { Closing, openBus } from './testing/bus.js';
import { readAll } from './testing/raw.js';
import { serveBatches } from './testing/services.js';

const ASKERS = 16;
/** Ten rounds of all askers. */
const SOME_ANSWERS = 10 * ASKERS;

const closing = new Closing();
let kafka: LocalKafka;
let server: Messaging;
let asker: Messaging;

afterAll(() => closing.closeAll());

/** One outage for all of it, which the tests follow in their order: a start of a broker costs what ten tests cost. */
describe('when the broker is killed and comes back', () => {
  let client: KafkaAskClient;
  let load: AskingLoad;
  const seen: string[] = [];
  const state = new Map<string, string>();
  let table: CompactedTable;
  let ending: Messaging;
  let end: () => Promise<void>;
  let published: Promise<void>;

  beforeAll(async () => {
    const folder = closing.add(await mkdtemp(join(tmpdir(), 'broker-')), (path) =>
      rm(path, { recursive: true }),
    );
    kafka = closing.add(await startKafka({ dataDir: folder }), (each) => each.stop());
    server = await open();
    asker = await open();
    await server.ensureTopics([
      { name: 'work', partitions: 6 },
      { name: 'table', partitions: 2, config: { 'cleanup.policy': 'compact' } },
      { name: 'facts', partitions: 2 },
      { name: 'ending', partitions: 1 },
    ]);
    await Promise.all([serve(), follow(), openEnding()]);
    await publishNumbered(0, 10);
    await eventually(() => seen.length === 10 && state.get('k') === '9');
    load.start(ASKERS);
    await eventually(() => load.answered > SOME_ANSWERS);
    await kafka.kill();
    published = publishNumbered(10, 20);
  });

  async function open(): Promise<Messaging> {
    const { messaging } = await openBus({ brokers: [kafka.brokers] });
    return closing.add(messaging, (each) => each.close());
  }

  async function serve(): Promise<void> {
    const app = await serveBatches(server, 'work', (requests) =>
      Promise.resolve(requests.map(({ value }) => ({ reply: { ok: value } }))),
    );
    closing.add(app, (each) => each.close());
    client = closing.add(new KafkaAskClient(asker, { deadlineMs: 240_000 }), (each) => each.close());
    await client.connect();
    load = new AskingLoad(client, 'work');
  }

  async function follow(): Promise<void> {
    const subscription = await subscribe(server, {
      topics: ['facts'],
      group: 'followers',
      handler: (facts) => {
        seen.push(...facts.map(({ value }) => value ?? ''));
        return Promise.resolve();
      },
    });
    closing.add(subscription, (each) => each.close());
    table = await CompactedTable.open(asker, {
      topic: 'table',
      apply: (key, value) => {
        if (value === null) state.delete(key);
        else state.set(key, value);
      },
    });
    closing.add(table, (each) => each.close());
  }

  /** A process that serves and asks, and ends while there is no broker. */
  async function openEnding(): Promise<void> {
    ({ messaging: ending } = await openBus({ brokers: [kafka.brokers] }));
    const app = await serveBatches(
      ending,
      'ending',
      (requests) => Promise.resolve(requests.map(() => ({ reply: { ok: null } }))),
      {},
      { group: 'ending' },
    );
    const asks = new KafkaAskClient(ending);
    await asks.connect();
    end = async () => {
      await asks.close();
      await app.close();
      await ending.close();
    };
  }

  it('a process can end meanwhile', async () => {
    await eventually(() => !ending.healthy());
    await end();
  });

  it('every ask that was accepted is answered, and those in between are refused', async () => {
    const refusal = await eventually(() =>
      client
        .ask({ to: 'work', key: 'k', value: 'v', deadlineMs: 1 })
        .then((reply) => 'error' in reply && reply.error.message === 'Kafka is not reachable' && reply),
    );
    expect(refusal.error.code).toBe('UNAVAILABLE');
    expect(asker.healthy()).toBe(false);
    await eventually(() => !table.healthy());
    await kafka.restart();
    const atRestart = load.answered;
    await eventually(() => load.answered > atRestart + SOME_ANSWERS);
    await load.stop();
    // The askers got refusals while Kafka was down, and nothing else: every accepted ask was answered.
    for (const reply of load.refused)
      expect(reply).toMatchObject({ error: { message: 'Kafka is not reachable' } });
    await eventually(() => asker.healthy() && server.healthy());
  });

  it('facts published meanwhile arrive in order, tables and subscriptions go on', async () => {
    await published;
    await eventually(() => state.get('k') === '19' && state.get('gone') === undefined);
    await eventually(() => new Set(seen).size === 20);
    const inOrder = [...new Set(seen)];
    expect(inOrder).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
    await eventually(() => table.healthy());
  });

  it('a Kafka that is killed serves again on the same log, with every acknowledged message', async () => {
    const values = (await readAll(server, 'facts')).map(({ value }) => value);
    expect(values.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, index) => String(index)));
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
