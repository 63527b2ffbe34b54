import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Messaging, subscribe } from '@truetally/messaging';
import {
  appendToOutbox,
  createPool,
  inTransaction,
  migrate,
  OUTBOX_TABLE_SQL,
  type OutboxRelay,
} from '@truetally/persistence';
import { createLogger, Metrics } from '@truetally/platform';
import {
  createTestDatabase,
  eventually,
  type FaultyLink,
  openFaultyLink,
  openKafkaLink,
  ownerPool,
  type TestDatabase,
  testStack,
  testTopicPrefix,
} from '@truetally/testing';
import fc from 'fast-check';
import type pg from 'pg';
import { openRelay } from './open-relay.js';

class CreateOutbox1700000000000 {
  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query(OUTBOX_TABLE_SQL);
    await runner.query(
      `do $$ begin execute format('grant select, insert, delete on outbox to %I',
         current_setting('truetally.role')); end $$`,
    );
  }

  down(): Promise<void> {
    throw new Error('Migrations go forward only.');
  }
}

const TOPIC = { name: 'state', partitions: 1, config: { 'cleanup.policy': 'compact' } };
const KEYS = ['a', 'b'];
const LOG = createLogger({ service: 'test', instance: 'test', level: 'fatal' });

/** A replica's outbox: all its traffic to Kafka and Postgres goes through its own links. */
interface Replica {
  readonly relay: OutboxRelay;
  readonly kafka: FaultyLink;
  readonly postgres: FaultyLink;
  readonly name: string;
  close(): Promise<void>;
}

let database: TestDatabase;
let owner: pg.Pool;
let prefix: string;
let direct: Messaging;
let replicas: readonly Replica[];
/** What a `read_committed` reader received, in order. */
const seen: { readonly key: string; readonly version: number }[] = [];
const versions = new Map<string, number>();
let reading: { close(): Promise<void> };

beforeAll(async () => {
  database = await createTestDatabase('fence');
  await migrate({ ...database, url: database.ownerUrl, migrations: [CreateOutbox1700000000000] });
  owner = ownerPool(database, 2);
  prefix = testTopicPrefix();
  direct = await openMessaging(testStack().kafkaBrokers);
  await direct.ensureTopics([TOPIC]);
  reading = await subscribe(direct, {
    topics: [TOPIC.name],
    group: 'reader',
    handler: (facts) => {
      seen.push(...facts.map(({ key, value }) => ({ key, version: Number(value) })));
      return Promise.resolve();
    },
  });
  replicas = await Promise.all([openReplica(), openReplica()]);
});

afterAll(async () => {
  await Promise.all(replicas.map((replica) => replica.close()));
  await reading.close();
  await direct.close();
  await owner.end();
  await database.drop();
});

async function openMessaging(brokers: string): Promise<Messaging> {
  const messaging = new Messaging({
    brokers: [brokers],
    clientId: 'test',
    instance: `test-${randomUUID()}`,
    topicPrefix: prefix,
    log: LOG,
  });
  await messaging.start();
  return messaging;
}

async function openReplica(): Promise<Replica> {
  const name = `replica-${randomUUID().slice(0, 8)}`;
  const url = new URL(database.url);
  const kafka = await openKafkaLink(testStack().kafkaBrokers);
  const postgres = await openFaultyLink(url.host);
  url.host = postgres.address;
  const messaging = await openMessaging(kafka.address);
  const pool = createPool({
    url: url.href,
    schema: database.schema,
    applicationName: name,
    max: 2,
    statementTimeoutMs: 5_000,
  });
  const relay = openRelay({
    pool,
    schema: database.schema,
    messaging,
    metrics: new Metrics('test'),
    log: LOG,
  });
  relay.start();
  const close = async (): Promise<void> => {
    await relay.stop();
    await messaging.close();
    await pool.end();
    await Promise.all([kafka.close(), postgres.close()]);
  };
  return { relay, kafka, postgres, name, close };
}

const FAULTS = ['stall-kafka', 'cut-kafka', 'stall-postgres', 'cut-postgres', 'end-session'] as const;
type Fault = (typeof FAULTS)[number];

const replica = fc.nat({ max: 1 });
const steps = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('write' as const), key: fc.constantFrom(...KEYS), replica }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('fault' as const),
        replica,
        fault: fc.constantFrom(...FAULTS),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('publishing' as const), replica }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('settle' as const), replica }) },
  ),
  { minLength: 8, maxLength: 20 },
);

/** Through the owner's own connection, which does not depend on the links. */
async function write(key: string): Promise<void> {
  const version = (versions.get(key) ?? 0) + 1;
  versions.set(key, version);
  await inTransaction(owner, (client) =>
    appendToOutbox(client, [{ topic: TOPIC.name, key, value: `${version}` }]),
  );
}

const isEmpty = async (): Promise<boolean> =>
  (await owner.query('select from outbox limit 1')).rowCount === 0;

/** One replica is healthy. Either replica is in the middle of a publish, or there is nothing to publish. */
async function untilPublishing(well: Replica): Promise<void> {
  mend(well);
  const sql = `select from pg_locks where locktype = 'advisory' and granted
    and objid = hashtext($1 || '.outbox-relay')::bigint & 4294967295`;
  await eventually(
    async () => (await isEmpty()) || (await owner.query(sql, [database.schema])).rowCount === 1,
    { intervalMs: 1, timeoutMs: 240_000 },
  );
}

async function suffer({ kafka, postgres, name }: Replica, fault: Fault): Promise<void> {
  if (fault === 'stall-kafka') kafka.stall();
  else if (fault === 'cut-kafka') kafka.cut();
  else if (fault === 'stall-postgres') postgres.stall();
  else if (fault === 'cut-postgres') postgres.cut();
  else {
    const sql = 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1';
    await owner.query(sql, [name]);
  }
}

function mend({ kafka, postgres }: Replica): void {
  for (const link of [kafka, postgres]) {
    link.mend();
    link.resume();
  }
}

/**
 * One replica is healthy, whatever happens to the other: the outbox empties. Older facts must not arrive any
 * more.
 */
async function settle(index: number): Promise<ReadonlyMap<string, number>> {
  const well = replicas[index];
  if (well !== undefined) mend(well);
  await eventually(isEmpty, { message: 'an empty outbox' });
  return new Map(versions);
}

describe('two relays of one outbox', () => {
  it('never publish an older fact after a newer one, whatever is stalled, cut, ended and restored in between', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        let settled: ReadonlyMap<string, number> = new Map(versions);
        const check = async (): Promise<void> => {
          const marker = (versions.get('marker') ?? 0) + 1;
          await write('marker');
          await eventually(isEmpty, { message: 'an empty outbox' });
          await eventually(() => seen.some(({ key, version }) => key === 'marker' && version === marker));
          const late = seen.filter(({ key, version }) => version <= (settled.get(key) ?? 0));
          expect(late).toEqual([]);
          for (const key of KEYS) {
            const last = seen.findLast((each) => each.key === key)?.version ?? settled.get(key);
            expect(last).toBe(versions.get(key));
          }
        };
        seen.length = 0;
        for (const step of history) {
          const chosen = replicas[step.replica];
          if (chosen === undefined) continue;
          if (step.kind === 'fault') await suffer(chosen, step.fault);
          else if (step.kind === 'write') {
            await write(step.key);
            chosen.relay.wake();
          } else if (step.kind === 'publishing') await untilPublishing(chosen);
          else {
            await settle(step.replica);
            await check();
            settled = new Map(versions);
            seen.length = 0;
          }
        }
        replicas.forEach(mend);
        await settle(0);
        await check();
      }),
      { numRuns: 10, endOnFailure: true },
    );
  });
});
