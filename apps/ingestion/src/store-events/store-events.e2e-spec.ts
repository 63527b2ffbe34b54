import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  encodeEventColumns,
  encodeStoreEvents,
  parseStoreEventsReply,
  type ReconciliationPage,
  type StoreEvent,
  TOPICS,
} from '@truetally/contracts';
import type { Reply } from '@truetally/kernel';
import {
  KafkaAskClient,
  Messaging,
  type ReceivedFact,
  subscribe,
  type Subscription,
} from '@truetally/messaging';
import { eventually, type LocalService, spawnService, testStack, testTopicPrefix } from '@truetally/testing';
import { type IngestionDatabase, openIngestionDatabase } from '../testing/ingestion-database.js';
import { anEvent } from '../testing/requests.js';

const SITE = randomUUID();
const topicPrefix = testTopicPrefix();
const facts = new Map<string, number>();
const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing };
const services: LocalService[] = [];
let database: IngestionDatabase;
let messaging: Messaging;
let client: KafkaAskClient;
let subscription: Subscription;

function nothing(): void {
  // Kafka's complaints about the kills are expected.
}

async function startReplica(): Promise<LocalService> {
  const service = await spawnService({
    app: 'ingestion',
    env: {
      KAFKA_BROKERS: testStack().kafkaBrokers,
      KAFKA_TOPIC_PREFIX: topicPrefix,
      DATABASE_URL: database.url,
      DATABASE_SCHEMA: database.schema,
    },
  });
  services.push(service);
  return service;
}

beforeAll(async () => {
  database = await openIngestionDatabase();
  messaging = new Messaging({
    brokers: [testStack().kafkaBrokers],
    clientId: 'ingestion-test',
    instance: `test-${randomUUID()}`,
    topicPrefix,
    log: silent,
  });
  await messaging.start();
  await messaging.ensureTopics([TOPICS.storeEvents, TOPICS.eventsStored, TOPICS.reconcileEvents]);
  client = new KafkaAskClient(messaging);
  await client.connect();
  subscription = await subscribe(messaging, {
    topics: [TOPICS.eventsStored.name],
    group: 'observer',
    handler: (received: readonly ReceivedFact[]) => {
      for (const fact of received) {
        const id = fact.headers['fact-id'] ?? '';
        facts.set(id, (facts.get(id) ?? 0) + 1);
      }
      return Promise.resolve();
    },
  });
  await startReplica();
}, 90_000);

afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await subscription.close();
  await client.close();
  await messaging.close();
  await database.close();
}, 30_000);

function ask(events: readonly StoreEvent[]): Promise<Reply<unknown>> {
  const requestId = randomUUID();
  return client.ask({
    topic: TOPICS.storeEvents.name,
    key: requestId,
    requestId,
    weight: events.length,
    value: encodeStoreEvents({
      siteId: SITE,
      requestId,
      trust: 'server',
      failed: 0,
      events: events.map((event) => ({
        columns: encodeEventColumns(event),
        properties: event.properties,
        context: event.context,
      })),
    }),
  });
}

/** As a client does: the same events again until there is an answer. Counts who was told "stored". */
async function askUntilAnswered(events: readonly StoreEvent[], told: Map<string, number>): Promise<void> {
  for (;;) {
    const reply = await ask(events);
    if ('error' in reply) {
      expect(reply.error.code).toBe('UNAVAILABLE');
      continue;
    }
    const verdicts = parseStoreEventsReply(reply.ok, events.length);
    if (!verdicts.ok) throw new Error(verdicts.error);
    for (const [index, { verdict }] of verdicts.value.entries()) {
      const id = events[index]?.event_id ?? '';
      if (verdict === 'stored') told.set(id, (told.get(id) ?? 0) + 1);
    }
    return;
  }
}

interface Load {
  readonly sent: Set<string>;
  readonly told: Map<string, number>;
}

/** Several clients that send new events, and now and then some that another has sent, until told to stop. */
async function keepSending(load: Load, whileTrue: () => boolean): Promise<void> {
  const recent: StoreEvent[] = [];
  const one = async (): Promise<void> => {
    while (whileTrue()) {
      const events = [...Array.from({ length: 8 }, () => anEvent()), ...recent.slice(-4)];
      recent.push(...events.slice(0, 3));
      for (const event of events) load.sent.add(event.event_id);
      await askUntilAnswered(events, load.told);
      await delay(2);
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
}

async function expectEachStoredOnce({ sent, told }: Load): Promise<void> {
  const { rows } = await database.owner.query<{ event_id: string; n: number }>(
    'select event_id, count(*)::int as n from events where event_id = any($1::uuid[]) group by 1',
    [[...sent]],
  );
  expect(rows.filter((row) => row.n !== 1)).toEqual([]);
  expect(rows).toHaveLength(sent.size);
  for (const [, times] of told) expect(times).toBe(1);
  await eventually(() => [...sent].every((id) => facts.has(id)), {
    timeoutMs: 30_000,
    message: 'a fact for every stored event',
  });
}

async function reconcile(): Promise<ReconciliationPage> {
  const reply = await client.ask({
    topic: TOPICS.reconcileEvents.name,
    key: 'admin',
    value: '{}',
    kind: 'query',
  });
  if ('error' in reply) throw new Error(reply.error.message);
  return reply.ok as ReconciliationPage;
}

describe('ingestion as a process', () => {
  it('answers, stores and publishes, and a poison message harms nobody but its sender', async () => {
    const [good, poison] = [anEvent(), anEvent({ properties: '{broken' })];
    const [stored, refused, replay] = await Promise.all([ask([good]), ask([poison]), ask([good])]);
    expect([stored, replay].map((reply) => ('ok' in reply ? reply.ok : reply.error))).toEqual(
      expect.arrayContaining([
        [[0, expect.stringMatching(/^\d{4}-.*Z$/)]],
        [[1, expect.stringMatching(/^\d{4}-.*Z$/)]],
      ]),
    );
    expect(refused).toMatchObject({ error: { code: 'INTERNAL_ERROR' } });
    await expectEachStoredOnce({ sent: new Set([good.event_id]), told: new Map() });
  }, 60_000);

  it('stores each event once, tells each once, and counts right, though it is killed twice under load', async () => {
    const load: Load = { sent: new Set(), told: new Map() };
    let isSending = true;
    const sending = keepSending(load, () => isSending);
    const [first] = services;
    if (first === undefined) throw new Error('No replica runs.');
    for (let round = 0; round < 2; round += 1) {
      const before = load.told.size;
      await eventually(() => load.told.size > before + 200, { timeoutMs: 30_000 });
      await first.kill();
      await first.restart();
    }
    const before = load.told.size;
    await eventually(() => load.told.size > before + 200, { timeoutMs: 40_000 });
    isSending = false;
    await sending;
    await expectEachStoredOnce(load);
    const { items } = await reconcile();
    expect(items.length).toBeGreaterThan(0);
    expect(items.filter((item) => !item.balanced)).toEqual([]);
  }, 180_000);

  it('shares its work with a second replica and takes over from one that is killed', async () => {
    const load: Load = { sent: new Set(), told: new Map() };
    let isSending = true;
    const sending = keepSending(load, () => isSending);
    const second = await startReplica();
    const joined = load.told.size;
    await eventually(() => load.told.size > joined + 200, { timeoutMs: 40_000 });
    await second.kill();
    const left = load.told.size;
    await eventually(() => load.told.size > left + 200, { timeoutMs: 40_000 });
    isSending = false;
    await sending;
    await expectEachStoredOnce(load);
    expect((await reconcile()).items.filter((item) => !item.balanced)).toEqual([]);
  }, 180_000);

  it('leaves in order at SIGTERM', async () => {
    const third = await startReplica();
    await third.kill('SIGTERM');
    expect(await third.exited).toEqual({ code: 0, signal: null });
  }, 60_000);
});
