import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ASSIGNED } from '@truetally/contracts/experiments';
import type { AssignedSessionFact, RecordedConversionFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { KafkaAskClient, Messaging } from '@truetally/messaging';
import { eventually, type LocalService, spawnService, testStack, testTopicPrefix } from '@truetally/testing';
import { type ServiceDatabase, SMALL_TOPICS } from '@truetally/testing-product';
import { readArms } from '../storage/results.store.js';
import {
  assignedFact,
  insertAssignments,
  insertRunning,
  openExperimentDatabase,
  type RunningRow,
} from '../testing/experiment-database.js';
import { purchaseFact } from '../testing/purchase-fact.js';
import { verifyResults } from '../verify/verify-results.js';

/** Assignments that one conversion may name, and conversions: 30,000 records of 50 sessions. */
const NAMED = 50;
const CONVERSIONS = 600;
const AT_ONCE = 300;
/** As the deployment's manifests have it. */
const HEAP_MIB = 192;
const PATIENCE = { timeoutMs: 240_000 };
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing };

let database: ServiceDatabase;
let messaging: Messaging;
let asker: KafkaAskClient;
let service: LocalService;

beforeAll(async () => {
  database = await openExperimentDatabase();
  const topicPrefix = testTopicPrefix();
  const brokers = testStack().kafkaBrokers;
  messaging = new Messaging({
    brokers: [brokers],
    clientId: 'test',
    instance: `test-${randomUUID()}`,
    topicPrefix,
    log: SILENT,
  });
  await messaging.start();
  await messaging.ensureTopics(SMALL_TOPICS);
  asker = new KafkaAskClient(messaging, { deadlineMs: PATIENCE.timeoutMs });
  await asker.connect();
  service = await spawnService({
    app: 'experiments',
    oldSpaceMib: HEAP_MIB,
    env: {
      KAFKA_BROKERS: brokers,
      KAFKA_TOPIC_PREFIX: topicPrefix,
      DATABASE_URL: database.url,
      DATABASE_SCHEMA: database.schema,
    },
  });
});

afterAll(async () => {
  if (service.isRunning) await service.stop();
  await asker.close();
  await messaging.close();
  await database.close();
});

function nothing(): void {
  // The test contains its own expectations.
}

function publish(topic: string, siteId: string, values: readonly object[]): Promise<void> {
  return messaging.publish(
    values.map((value, place) => ({ topic, key: `${siteId}:${place}`, value: JSON.stringify(value) })),
  );
}

async function assign(row: RunningRow, count: number): Promise<readonly AssignedSessionFact[]> {
  // One instant for all: an order counts for none that was assigned after it.
  const assignedAt = new Date().toISOString();
  const assigned = Array.from({ length: count }, () => assignedFact(row, { assigned_at: assignedAt }));
  await insertAssignments(database, assigned);
  await publish(TOPICS.sessionsAssigned.name, row.siteId, assigned);
  return assigned;
}

function ordersOf(
  assigned: readonly AssignedSessionFact[],
  count: number,
): readonly RecordedConversionFact[] {
  const [first] = assigned;
  const assignmentIds = assigned.map(({ assignment_id }) => assignment_id);
  const at = first?.assigned_at ?? '';
  return Array.from({ length: count }, () =>
    purchaseFact(first?.site_id ?? '', { orderId: randomUUID(), assignmentIds, at, cents: 100 }),
  );
}

async function countedOrders({ experimentId }: RunningRow): Promise<number> {
  const { control, treatment } = await readArms(database.owner, experimentId);
  return Number(control.counted_orders + treatment.counted_orders);
}

/** Waits as long as it goes on: how fast it does depends on the machine. */
async function untilCounted(row: RunningRow, orders: number): Promise<void> {
  for (let counted = await countedOrders(row); counted < orders;) {
    const before = counted;
    counted = await eventually(async () => {
      const now = await countedOrders(row);
      return now > before && now;
    }, PATIENCE);
  }
  expect(await countedOrders(row)).toBe(orders);
}

describe('thousands of conversions that name the same sessions', () => {
  it('delay no other site: its orders count and its sessions are assigned while they wait their turn', async () => {
    const [greedy, other] = [await insertRunning(database), await insertRunning(database)];
    const many = await assign(greedy, NAMED);
    const one = await assign(other, 1);
    for (let sent = 0; sent < CONVERSIONS; sent += AT_ONCE)
      await publish(TOPICS.conversionsRecorded.name, greedy.siteId, ordersOf(many, AT_ONCE));
    for (let orders = 1; orders <= 3; orders += 1) {
      await publish(TOPICS.conversionsRecorded.name, other.siteId, ordersOf(one, 1));
      await eventually(async () => (await countedOrders(other)) === orders, PATIENCE);
      // Not because everything else was done first.
      expect(await countedOrders(greedy)).toBeLessThan(CONVERSIONS * NAMED);
      const question = {
        site_id: other.siteId,
        session_id: randomUUID(),
        campaign_id: null,
        experiment_ids: null,
      };
      const reply = await asker.ask({
        to: TOPICS.assignSession.name,
        key: other.siteId,
        value: JSON.stringify({ ...question, touch_ids: [], device: 'mobile' }),
      });
      expect('ok' in reply && ASSIGNED.read(reply.ok).ok).toBe(true);
    }
    await untilCounted(greedy, CONVERSIONS * NAMED);
    // One more costs what the first did.
    await publish(TOPICS.conversionsRecorded.name, greedy.siteId, ordersOf(many, 1));
    await untilCounted(greedy, (CONVERSIONS + 1) * NAMED);
    expect(service.isRunning).toBe(true);
    const client = await database.owner.connect();
    try {
      expect(await verifyResults(client)).toMatchObject({ fault: null, waiting: 0 });
    } finally {
      client.release();
    }
  });
});
