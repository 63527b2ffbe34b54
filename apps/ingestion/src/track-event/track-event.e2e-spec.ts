import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TOPICS } from '@truetally/contracts/topics';
import {
  eventually,
  dependenciesAnswer,
  type LocalPostgres,
  type LocalService,
  removePostgresData,
  startKafkaProxy,
  startPostgres,
  testStack,
  untilDependenciesAnswer,
} from '@truetally/testing';
import { type Accessing, whatAccessFaultsCost } from '../testing/access-faults-suite.js';
import { type IngestionDatabase, openIngestionDatabase } from '../testing/ingestion-database.js';
import { type IngestionProcesses, Load, openIngestionProcesses } from '../testing/ingestion-process.js';
import { anEvent } from '../testing/requests.js';

let folder: string;
let postgres: LocalPostgres;
let database: IngestionDatabase;
let processes: IngestionProcesses;
/** The replicas that run; the first one alone until a test adds another. */
let replicas: readonly LocalService[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truetally-ingestion-'));
  postgres = await startPostgres({ dataDir: join(folder, 'postgres'), user: 'owner', password: 'owner' });
  database = await openIngestionDatabase(postgres.url);
  processes = await openIngestionProcesses(database);
  replicas = [await processes.startReplica()];
});

afterAll(async () => {
  await processes.close();
  await database.close();
  await postgres.stop();
  await removePostgresData(postgres.dataDir);
  await rm(folder, { recursive: true, force: true });
});

async function expectEachStoredOnce({ sent, told }: Pick<Load, 'sent' | 'told'>): Promise<void> {
  const { facts, reconcile } = processes;
  const { rows } = await database.owner.query<{ event_id: string; n: number }>(
    'select event_id, count(*)::int as n from events where event_id = any($1::uuid[]) group by 1',
    [[...sent]],
  );
  expect(rows.filter((row) => row.n !== 1)).toEqual([]);
  expect(rows).toHaveLength(sent.size);
  expect([...told.values()].filter((times) => times !== 1)).toEqual([]);
  await eventually(() => [...sent].every((id) => facts.has(id)), {
    message: 'a fact for every stored event',
  });
  const { items } = await reconcile();
  expect(items.length).toBeGreaterThan(0);
  expect(items.filter((item) => !item.balanced)).toEqual([]);
}

/** Of two requests of each client: the service works. */
const SOME_EVENTS = 100;
/** Twice as many as the catalogue has. */
const PARTITIONS = 12;

/** Partitions of the requests that have stored something. */
async function partitionsUsed(): Promise<number> {
  const { rows } = await database.owner.query<{ n: number }>(
    'select count(distinct request_partition)::int as n from events',
  );
  return rows[0]?.n ?? 0;
}

type Told = Awaited<ReturnType<IngestionProcesses['ask']>>;

/** What a repetition of events is answered that were answered as stored: the same times, as duplicates. */
function asRepeated(told: Told): Told {
  if ('error' in told) throw new Error(told.error.message);
  return { ok: (told.ok as [number, string, number][]).map(([, time, count]) => [1, time, count]) };
}

function firstVerdict(told: Told): number | undefined {
  return 'ok' in told ? (told.ok as [number, string][])[0]?.[0] : undefined;
}

/** In sequence: each test goes on with the replicas that the one before has left. */
describe('ingestion as a process', () => {
  const accessing = (): Accessing => {
    const [service] = replicas;
    if (service === undefined) throw new Error('There is no replica.');
    return { database, processes, service };
  };

  // First, because no message has been given up yet.
  whatAccessFaultsCost(accessing);

  it('answers, stores and publishes, and a poison message affects only its sender', async () => {
    const [good, poison] = [anEvent(), anEvent({ properties: '{broken' })];
    const [stored, refused, replay] = await Promise.all([
      processes.ask([good]),
      processes.ask([poison]),
      processes.ask([good]),
    ]);
    expect([stored, replay].map((reply) => ('ok' in reply ? reply.ok : reply.error))).toEqual(
      expect.arrayContaining([
        [[0, expect.stringMatching(/^\d{4}-.*Z$/), 1]],
        [[1, expect.stringMatching(/^\d{4}-.*Z$/), 1]],
      ]),
    );
    expect(refused).toMatchObject({ error: { code: 'INTERNAL_ERROR' } });
    await expectEachStoredOnce({ sent: new Set([good.event_id]), told: new Map() });
  });

  it('counts a request once whose produce is repeated because its acknowledgement was lost', async () => {
    const proxy = await startKafkaProxy(testStack().kafkaBrokers);
    const siteId = randomUUID();
    const { ask, close } = await processes.anotherGateway({ brokers: proxy.brokers, siteId });
    await ask([anEvent()]);
    for (let single = 0; single < 5; single += 1) {
      proxy.loseNextAcknowledgement();
      expect(await ask([anEvent()])).toMatchObject({ ok: [[0, expect.any(String), 1]] });
    }
    expect(proxy.lost).toBe(5);
    await eventually(async () => (await processes.lag()) === 0, { message: 'every copy to be handled' });
    const { items } = await processes.reconcile(siteId);
    const sum = (name: 'received' | 'stored' | 'deduplicated' | 'failed'): number =>
      items.reduce((total, item) => total + item[name], 0);
    expect([sum('received'), sum('stored'), sum('deduplicated'), sum('failed')]).toEqual([6, 6, 0, 0]);
    await close();
    await proxy.close();
  });

  it('stores, publishes and counts each event once, although it is killed twice under load', async () => {
    const killed = await processes.startReplica();
    replicas = [...replicas, killed];
    const load = new Load(processes);
    for (let round = 0; round < 2; round += 1) {
      await load.more(SOME_EVENTS);
      // Some of what all send now is under way.
      await load.more(1);
      await killed.kill();
      await load.more(SOME_EVENTS);
      await killed.restart();
    }
    await load.more(SOME_EVENTS);
    await load.stop();
    await expectEachStoredOnce(load);
  });

  it('partitions are raised under load, as scaling.md says: nothing is lost or doubled, and repeats are told', async () => {
    const former = replicas;
    const load = new Load(processes);
    await load.more(SOME_EVENTS);
    const repeated = Array.from({ length: 20 }, () => anEvent());
    const told = await processes.ask(repeated);
    replicas = [];
    for (const replica of former) {
      const partitions = { KAFKA_TOPIC_PARTITIONS: `${TOPICS.trackEvent.name}=${PARTITIONS}` };
      replicas = [...replicas, await processes.startReplica(partitions)];
      await replica.stop();
      expect(await replica.exited).toEqual({ code: 0, signal: null });
      await load.more(SOME_EVENTS);
    }
    const restarted = await processes.anotherGateway();
    const newer = new Load(restarted);
    await newer.until(async () => (await partitionsUsed()) === PARTITIONS, 'events from every partition');
    expect(await restarted.ask(repeated)).toEqual(asRepeated(told));
    const atBoth = [anEvent()];
    const verdicts = await Promise.all([processes.ask(atBoth), restarted.ask(atBoth)]);
    expect(verdicts.map(firstVerdict).sort()).toEqual([0, 1]);
    await load.stop();
    await newer.stop();
    for (const one of [load, newer]) await expectEachStoredOnce(one);
  });

  it('waits for a killed Postgres, reports unavailable, loses nothing and continues', async () => {
    const { service } = accessing();
    const { pid } = service;
    const load = new Load(processes);
    await load.more(SOME_EVENTS);
    await load.more(1);
    await postgres.kill();
    await eventually(async () => !(await dependenciesAnswer(service.operationsPort)));
    await postgres.restart();
    await untilDependenciesAnswer(service);
    await load.more(SOME_EVENTS);
    await load.stop();
    await expectEachStoredOnce(load);
    expect(service.pid).toBe(pid);
  });
});
