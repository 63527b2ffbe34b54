import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkflowRecord } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { DAY_MS } from '@truetally/kernel';
import type { Messaging, Subscription } from '@truetally/messaging';
import { eventually, testStack, testTopicPrefix, writeRecord } from '@truetally/testing';
import {
  openMessaging,
  openServiceDatabase,
  type ServiceDatabase,
  SMALL_TOPICS,
} from '@truetally/testing-product';
import type pg from 'pg';
import { WorkflowDirectory } from '../definitions/workflow-directory.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';
import { followFacts, MATCHING_GROUP } from './follow-facts.js';
import { FactMatcher } from './match-facts.js';
import { matchFactsInLine } from './parked-line.js';

const SITE = randomUUID();
const FOLLOWED: readonly string[] = [TOPICS.workflows, TOPICS.eventsStored, TOPICS.conversionsRecorded].map(
  ({ name }) => name,
);
const LOG = { error: (...told: unknown[]) => expect(told).toEqual([]) } as never;

let database: ServiceDatabase;
let pool: pg.Pool;
let messaging: Messaging;
let closing: (() => Promise<void>)[];

beforeEach(async () => {
  closing = [];
  database = await openServiceDatabase({ name: 'outbound', migrations: MIGRATIONS });
  pool = database.openPool(4);
  messaging = await openMessaging(testStack().kafkaBrokers, testTopicPrefix(), 'test');
  await messaging.ensureTopics(SMALL_TOPICS.filter(({ name }) => FOLLOWED.includes(name)));
});

afterEach(async () => {
  for (const close of closing.toReversed()) await close();
  await messaging.close();
  await database.close();
});

/** A replica, which knows the workflows that Kafka has. */
async function replica(): Promise<{ readonly directory: WorkflowDirectory; end(): Promise<void> }> {
  const directory = new WorkflowDirectory({ messaging, pool, log: LOG });
  const onStored = (): undefined => undefined;
  const matcher = new FactMatcher({ pool, directory, log: LOG, onStored, onParked: () => line.wake() });
  const line = matchFactsInLine({ pool, log: LOG, matcher, onStored });
  await directory.open();
  const following: Subscription = await followFacts({ messaging, matcher, directory });
  const end = async (): Promise<void> => {
    await following.close();
    await line.close();
    await directory.close();
  };
  closing.push(end);
  return { directory, end };
}

async function createWorkflow(createdMs: number): Promise<string> {
  const [id, at] = [randomUUID(), new Date(createdMs).toISOString()];
  const workflow: WorkflowRecord = {
    ...{ workflow_id: id, workspace_id: randomUUID(), site_id: SITE, enabled: true },
    ...{
      event_types: ['purchase', 'conversion.purchase'],
      match: 'all',
      conditions: [],
      url: 'https://crm.example/',
    },
    ...{ secret: { key_id: 'k', sealed: '' }, former_secrets: [], version: 1 },
    ...{ effective_from: at, updated_at: at },
  };
  await messaging.publish([{ topic: TOPICS.workflows.name, key: id, value: JSON.stringify(workflow) }]);
  return id;
}

async function sell(...receivedMs: readonly number[]): Promise<void> {
  const sold = receivedMs.map((ms) => {
    const at = new Date(ms).toISOString();
    const event = { event_id: randomUUID(), site_id: SITE, event_type: 'purchase', session_id: 'session' };
    const told = { user_id: null, client_event_id: null, occurred_at: at, received_at: at, trust: 'server' };
    const value = JSON.stringify({ ...event, ...told, is_bot: false, properties: {}, context: {} });
    return { topic: TOPICS.eventsStored.name, key: SITE, value };
  });
  await messaging.publish(sold);
}

/** An entry of the ledger, as Kafka still has what was told then. */
async function recordedAt(orderId: string, timestampMs: number): Promise<void> {
  const at = new Date(timestampMs).toISOString();
  const ids = { record_id: orderId, conversion_id: orderId, site_id: SITE, order_id: orderId };
  const entry = { ...ids, order_sequence: 1, event_type: 'purchase', occurred_at: at, recorded_at: at };
  await writeRecord({
    ...{ brokers: testStack().kafkaBrokers, topic: messaging.prefixed(TOPICS.conversionsRecorded.name) },
    ...{ key: SITE, value: JSON.stringify(entry), headers: {}, timestampMs },
  });
}

async function untilDelivered(workflowId: string, count: number): Promise<void> {
  const delivered = async (): Promise<number> => {
    const { rowCount } = await pool.query('select from deliveries where workflow_id = $1', [workflowId]);
    return rowCount ?? 0;
  };
  await eventually(async () => (await delivered()) === count);
}

describe('following facts for workflows', () => {
  it('nothing is read while there has never been a workflow, and the first one gets all since it was created, however late it becomes known', async () => {
    const { end } = await replica();
    const createdMs = Date.now();
    // More than are kept of events that nobody has read.
    await sell(createdMs - 1, ...Array.from({ length: 6_000 }, () => createdMs));
    expect(await messaging.lag(MATCHING_GROUP)).toEqual([]);
    const first = await createWorkflow(createdMs);
    await untilDelivered(first, 6_000);
    await sell(createdMs);
    await untilDelivered(first, 6_001);
    await end();
  });

  it('a process that ends before it has read for the first workflow is followed by one that misses nothing', async () => {
    const { directory, end } = await replica();
    const createdMs = Date.now();
    await sell(createdMs);
    const first = await createWorkflow(createdMs);
    await eventually(() => directory.index.size > 0);
    await end();
    await sell(createdMs);
    await replica();
    await untilDelivered(first, 2);
  });

  it('a replica whose position Kafka has forgotten delivers nothing again whose deliveries are forgotten, too', async () => {
    const [first, second, third] = [randomUUID(), randomUUID(), randomUUID()];
    const nowMs = Date.now();
    await recordedAt(first, nowMs - 40 * DAY_MS);
    await recordedAt(second, nowMs - 20 * DAY_MS);
    await recordedAt(third, nowMs);
    await createWorkflow(nowMs - 60 * DAY_MS);
    await replica();
    const delivered = async (): Promise<readonly unknown[]> => {
      const { rows } = await pool.query<{ id: string }>('select record_id as id from deliveries');
      return rows.map(({ id }) => id);
    };
    await eventually(async () => (await delivered()).includes(third));
    expect((await delivered()).toSorted()).toEqual([second, third].toSorted());
  });

  it('a replica that starts when nothing is left of all workflows goes on where others have read', async () => {
    const one = await replica();
    const first = await createWorkflow(Date.now());
    await sell(Date.now());
    await untilDelivered(first, 1);
    await one.end();
    await messaging.publish([{ topic: TOPICS.workflows.name, key: first, value: null }]);
    await sell(Date.now());
    const { directory } = await replica();
    expect(directory.index.size).toBe(0);
    await eventually(async () =>
      (await messaging.lag(MATCHING_GROUP)).every(({ lag, expired }) => lag + expired === 0),
    );
  });
});
