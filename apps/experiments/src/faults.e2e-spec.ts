import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KafkaAskClient, Messaging } from '@truetally/messaging';
import {
  eventually,
  dependenciesAnswer,
  type LocalPostgres,
  type LocalService,
  removePostgresData,
  spawnService,
  startPostgres,
  testStack,
  testTopicPrefix,
} from '@truetally/testing';
import { openServiceDatabase, type ServiceDatabase, SMALL_TOPICS } from '@truetally/testing-product';
import { MIGRATIONS } from './storage/migrations/migrations.js';
import { readArms } from './storage/results.store.js';
import { insertRunning, type RunningRow } from './testing/experiment-database.js';
import { ExperimentLoad } from './testing/experiment-load.js';
import { verifyResults } from './verify/verify-results.js';

/** Some of each worker. */
const SOME_ANSWERS = 40;
const PATIENCE = { timeoutMs: 240_000 };
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const topicPrefix = testTopicPrefix();

let folder: string;
let postgres: LocalPostgres;
let database: ServiceDatabase;
let messaging: Messaging;
let asker: KafkaAskClient;
let row: RunningRow;
let replicas: readonly [LocalService, LocalService];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'truetally-experiments-'));
  postgres = await startPostgres({ dataDir: join(folder, 'postgres'), user: 'owner', password: 'owner' });
  database = await openServiceDatabase({
    name: 'experiments',
    migrations: MIGRATIONS,
    ownerUrl: postgres.url,
  });
  row = await insertRunning(database);
  const { kafkaBrokers } = testStack();
  messaging = new Messaging({
    brokers: [kafkaBrokers],
    clientId: 'test',
    instance: 'test',
    topicPrefix,
    log: SILENT,
  });
  await messaging.start();
  await messaging.ensureTopics(SMALL_TOPICS);
  asker = new KafkaAskClient(messaging, { deadlineMs: 5_000 });
  await asker.connect();
  replicas = await Promise.all([startReplica(), startReplica()]);
});

afterAll(async () => {
  await Promise.all(replicas.filter(({ isRunning }) => isRunning).map((replica) => replica.stop()));
  await asker.close();
  await messaging.close();
  await database.close();
  await postgres.stop();
  await removePostgresData(postgres.dataDir);
  await rm(folder, { recursive: true, force: true });
});

function nothing(): void {
  // The test contains its own expectations.
}

function startReplica(): Promise<LocalService> {
  const env = {
    KAFKA_BROKERS: testStack().kafkaBrokers,
    KAFKA_TOPIC_PREFIX: topicPrefix,
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: database.schema,
  };
  return spawnService({ app: 'experiments', env });
}

/** One assignment per session, none changed, and sums equal to a recomputation. */
async function expectTheTruth(load: ExperimentLoad): Promise<void> {
  const { rows } = await database.owner.query<{ session_id: string; assignment_id: string; variant: string }>(
    'select session_id, assignment_id, variant from assignments',
  );
  const kept = new Map(rows.map((assignment) => [assignment.session_id, assignment]));
  expect(kept.size).toBe(rows.length);
  for (const [sessionId, answers] of load.told) {
    const given = new Set(answers.map(({ assignment_id, variant }) => `${assignment_id} ${variant}`));
    const assignment = kept.get(sessionId);
    expect([...given]).toEqual([`${assignment?.assignment_id} ${assignment?.variant}`]);
  }
  await eventually(
    async () => (await countOf('session_results')) === (await countOf('assignments')),
    PATIENCE,
  );
  const orders = [...load.orders.values()];
  await eventually(
    async () => {
      const { rows: known } = await database.owner.query<{ record_id: string }>(
        'select record_id from session_records where record_id = any($1::uuid[])',
        [orders.map(({ record_id }) => record_id)],
      );
      return known.length === orders.length;
    },
    { ...PATIENCE, message: 'every order folded' },
  );
  const client = await database.owner.connect();
  try {
    expect(await verifyResults(client)).toMatchObject({ experiments: 1, sessions: rows.length, fault: null });
  } finally {
    client.release();
  }
}

async function countOf(table: string): Promise<number> {
  const { rows } = await database.owner.query<{ n: number }>(`select count(*)::integer as n from ${table}`);
  return rows[0]?.n ?? 0;
}

describe('experiments under faults: one assignment per session, none changed, sums equal to a recomputation', () => {
  it('every session keeps its assignment while replicas and Postgres are killed', async () => {
    const load = new ExperimentLoad(messaging, asker, row);
    await load.more(SOME_ANSWERS);
    await replicas[0].kill();
    await load.more(SOME_ANSWERS);
    await replicas[0].restart();
    await postgres.kill();
    await eventually(async () => !(await dependenciesAnswer(replicas[1].operationsPort)), PATIENCE);
    await postgres.restart();
    await load.more(SOME_ANSWERS);
    await replicas[1].kill();
    await load.more(SOME_ANSWERS);
    await load.stop();
    await expectTheTruth(load);
    const revenue = [...load.orders.values()].reduce(
      (sum, order) => sum + Math.round(Number(order.revenue_delta) * 100),
      0,
    );
    const { control, treatment } = await readArms(database.owner, row.experimentId);
    expect(control.revenue + treatment.revenue).toBe(BigInt(revenue));
  });
});
