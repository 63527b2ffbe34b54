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

/** Two replicas of one outbox, and what a reader of its topic has received. */
class Lane {
  /** What a `read_committed` reader received, in order. */
  readonly seen: { readonly key: string; readonly version: number }[] = [];
  readonly versions = new Map<string, number>();

  private constructor(
    readonly database: TestDatabase,
    readonly owner: pg.Pool,
    readonly replicas: readonly Replica[],
    private readonly direct: Messaging,
    private reading: { close(): Promise<void> } | undefined = undefined,
  ) {}

  static async open(): Promise<Lane> {
    const database = await createTestDatabase('fence');
    await migrate({ ...database, url: database.ownerUrl, migrations: [CreateOutbox1700000000000] });
    const prefix = testTopicPrefix();
    const direct = await openMessaging(testStack().kafkaBrokers, prefix);
    await direct.ensureTopics([TOPIC]);
    const replicas = await Promise.all([openReplica(database, prefix), openReplica(database, prefix)]);
    const lane = new Lane(database, ownerPool(database, 2), replicas, direct);
    lane.reading = await subscribe(direct, {
      topics: [TOPIC.name],
      group: 'reader',
      handler: (facts) => {
        lane.seen.push(...facts.map(({ key, value }) => ({ key, version: Number(value) })));
        return Promise.resolve();
      },
    });
    return lane;
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.close()));
    await this.reading?.close();
    await this.direct.close();
    await this.owner.end();
  }

  /** Through the owner's own connection, which does not depend on the links. */
  async write(key: string): Promise<number> {
    const version = (this.versions.get(key) ?? 0) + 1;
    this.versions.set(key, version);
    await inTransaction(this.owner, (client) =>
      appendToOutbox(client, [{ topic: TOPIC.name, key, value: `${version}` }]),
    );
    return version;
  }

  async isEmpty(): Promise<boolean> {
    return (await this.owner.query('select from outbox limit 1')).rowCount === 0;
  }

  /** One replica is healthy. Either replica is in the middle of a publish, or there is nothing to publish. */
  async untilPublishing(well: Replica): Promise<void> {
    mend(well);
    const sql = `select from pg_locks where locktype = 'advisory' and granted
      and objid = hashtext($1 || '.outbox-relay')::bigint & 4294967295`;
    await eventually(
      async () =>
        (await this.isEmpty()) || (await this.owner.query(sql, [this.database.schema])).rowCount === 1,
      { intervalMs: 1, timeoutMs: 240_000 },
    );
  }

  async suffer({ kafka, postgres, name }: Replica, fault: Fault): Promise<void> {
    if (fault === 'stall-kafka') kafka.stall();
    else if (fault === 'cut-kafka') kafka.cut();
    else if (fault === 'stall-postgres') postgres.stall();
    else if (fault === 'cut-postgres') postgres.cut();
    else {
      const sql = 'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1';
      await this.owner.query(sql, [name]);
    }
  }

  /** The facts that have been written are published. Older ones must not arrive any more. */
  async settle(): Promise<ReadonlyMap<string, number>> {
    await eventually(() => this.isEmpty(), { message: 'an empty outbox' });
    return new Map(this.versions);
  }
}

async function openMessaging(brokers: string, prefix: string): Promise<Messaging> {
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

async function openReplica(database: TestDatabase, prefix: string): Promise<Replica> {
  const name = `replica-${randomUUID().slice(0, 8)}`;
  const url = new URL(database.url);
  const kafka = await openKafkaLink(testStack().kafkaBrokers);
  const postgres = await openFaultyLink(url.host);
  url.host = postgres.address;
  const messaging = await openMessaging(kafka.address, prefix);
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
type Step = typeof steps extends fc.Arbitrary<readonly (infer S)[]> ? S : never;

function mend({ kafka, postgres }: Replica): void {
  for (const link of [kafka, postgres]) {
    link.mend();
    link.resume();
  }
}

/** Ends with both replicas healthy. */
async function expectOrder(lane: Lane, history: readonly Step[]): Promise<void> {
  const { seen, versions, replicas } = lane;
  let settled: ReadonlyMap<string, number> = new Map(versions);
  const check = async (): Promise<void> => {
    const marker = await lane.write('marker');
    await lane.settle();
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
    if (step.kind === 'fault') await lane.suffer(chosen, step.fault);
    else if (step.kind === 'write') {
      await lane.write(step.key);
      chosen.relay.wake();
    } else if (step.kind === 'publishing') await lane.untilPublishing(chosen);
    else {
      // One replica is healthy, whatever happens to the other: the outbox empties.
      mend(chosen);
      await lane.settle();
      await check();
      settled = new Map(versions);
      seen.length = 0;
    }
  }
  replicas.forEach(mend);
  await lane.settle();
  await check();
}

/** At once, because most of a history is waiting for the end of a silent replica's lock. */
const LANES = 4;
const HISTORIES_OF_LANE = 3;

describe('two relays of one outbox', () => {
  let lanes: readonly Lane[];

  beforeAll(async () => {
    lanes = await Promise.all(Array.from({ length: LANES }, () => Lane.open()));
  });

  afterAll(async () => {
    await Promise.all(lanes.map((lane) => lane.close()));
  });

  it('never publish an older fact after a newer one, whatever is stalled, cut, ended and restored in between', async () => {
    const property = (lane: Lane) => fc.asyncProperty(steps, (history) => expectOrder(lane, history));
    await Promise.all(
      lanes.map((lane) => fc.assert(property(lane), { numRuns: HISTORIES_OF_LANE, endOnFailure: true })),
    );
  });
});
