import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { WorkflowRecord } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import type { ReceivedFact } from '@truetally/messaging';
import { createPool, migrate } from '@truetally/persistence';
import { createTestDatabase, eventually, ownerPool, type TestDatabase } from '@truetally/testing';
import type pg from 'pg';
import { type CompiledWorkflow, WorkflowIndex } from '../domain/workflow-index.js';
import { MIGRATIONS } from '../storage/migrations/migrations.js';
import { FactMatcher } from './match-facts.js';

const SITE = randomUUID();

let database: TestDatabase;
let owner: pg.Pool;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase('outbound');
  await migrate({ ...database, url: database.ownerUrl, migrations: MIGRATIONS });
  owner = ownerPool(database, 2);
  pool = createPool({ url: database.url, schema: database.schema, applicationName: 'test', max: 4 });
});

afterAll(async () => {
  await pool.end();
  await owner.end();
});

function workflow(): WorkflowRecord {
  return {
    workflow_id: randomUUID(),
    workspace_id: randomUUID(),
    site_id: SITE,
    enabled: true,
    event_types: ['purchase'],
    match: 'all',
    conditions: [],
    url: 'https://crm.example/',
    secret: { key_id: 'k', sealed: '' },
    former_secret: null,
    version: 1,
    effective_from: '2026-01-31T00:00:00.000Z',
  };
}

function purchase(): ReceivedFact {
  const at = '2026-02-01T00:00:00.000Z';
  const event = { event_id: randomUUID(), site_id: SITE, event_type: 'purchase', session_id: 'session' };
  const value = JSON.stringify({
    ...event,
    user_id: null,
    client_event_id: null,
    occurred_at: at,
    received_at: at,
    trust: 'server',
    is_bot: false,
    properties: {},
    context: {},
  });
  const topic = TOPICS.eventsStored.name;
  return { topic, partition: 0, offset: '0', key: SITE, value, headers: {}, timestampMs: Date.parse(at) };
}

describe('matching facts with workflows', () => {
  it('a workflow that becomes known while a fact is being stored for another one gets it, too', async () => {
    const index = new WorkflowIndex();
    let changed: (workflow: CompiledWorkflow) => void = () => undefined;
    const directory = { index, whenChanged: (listener: typeof changed) => (changed = listener) };
    const log = { error: (...told: unknown[]) => expect(told).toEqual([]) } as never;
    const matcher = new FactMatcher({ pool, directory, log, onStored: () => undefined });
    const [first, second] = [workflow(), workflow()];
    index.set(first);
    const blocker = await owner.connect();
    try {
      await blocker.query('begin');
      await blocker.query('lock table deliveries');
      const taken = matcher.take([purchase()]);
      await eventually(async () => {
        const { rows } = await owner.query(
          "select from pg_locks where not granted and mode = 'RowExclusiveLock'",
        );
        return rows.length > 0;
      });
      changed(index.set(second));
      await blocker.query('commit');
      await taken;
    } finally {
      blocker.release();
    }
    await eventually(async () => {
      const { rows } = await owner.query<{ id: string }>('select workflow_id as id from deliveries');
      return (
        rows.length === 2 && rows.every(({ id }) => [first, second].some((one) => one.workflow_id === id))
      );
    });
  });
});
