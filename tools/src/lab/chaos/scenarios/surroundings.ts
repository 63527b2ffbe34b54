import { randomUUID } from 'node:crypto';
import { OPERATIONS } from '@truetally/contracts/topics';
import { commandHeaders, REQUEST_ID_HEADER } from '@truetally/messaging';
import { eventually } from '@truetally/processes';
import { openMessaging } from '@truetally/testing-product';
import pg from 'pg';
import { type Arena } from '../arena.js';
import { type Scenario } from '../scenario.js';

const SLOW_DATABASE = { delayMs: 20, jitterMs: 20, lossRate: 0 } as const;
const BAD_NETWORK = { delayMs: 5, jitterMs: 15, lossRate: 0.01 } as const;

const SLOW_POSTGRES: Scenario = {
  name: 'slow-postgres',
  what: 'every packet to and from Postgres takes 20 to 40 ms, then no longer',
  brokers: 1,
  mayFail: [],
  run: async ({ toPostgres }, load, { answers }) => {
    load.mark();
    toPostgres.slow(SLOW_DATABASE);
    await load.recovered();
    await load.more(answers);
    toPostgres.slow(undefined);
    load.mark();
  },
};

export const SLOW_NETWORK: Scenario = {
  name: 'slow-network',
  what: 'packets to and from Kafka and Postgres take 5 to 20 ms, one in a hundred 200 ms more as after a loss',
  brokers: 1,
  mayFail: [],
  run: async ({ toKafka, toPostgres }, load, { answers }) => {
    load.mark();
    for (const link of [toKafka, toPostgres]) link?.slow(BAD_NETWORK);
    await load.recovered();
    await load.more(answers);
    for (const link of [toKafka, toPostgres]) link?.slow(undefined);
    load.mark();
  },
};

/** Shorter than the lifetime of a page token. */
const JUMP_MS = 600_000;

export const CLOCK_JUMP: Scenario = {
  name: 'clock-jump',
  what: "each service's own clock jumps ten minutes ahead, then ten behind, then back (`Date` is replaced)",
  brokers: 1,
  mayFail: [],
  run: async (arena, load, { answers, services }) => {
    for (const service of services) {
      for (const aheadMs of [JUMP_MS, -JUMP_MS, 0]) {
        load.mark();
        arena.shiftClock(service, aheadMs);
        await load.recovered();
        await load.more(answers / services.length);
      }
    }
  },
};

export const POISON: Scenario = {
  name: 'poison',
  what: 'an unreadable message on every request topic; each becomes a dead letter',
  brokers: 1,
  mayFail: [],
  run: async (arena, load) => {
    load.mark();
    const requestId = randomUUID();
    const topics = await poisonRequests(arena, requestId);
    const client = new pg.Client({ connectionString: arena.databaseUrl });
    await client.connect();
    try {
      await eventually(
        async () => {
          const { rows } = await client.query<{ n: number }>(
            `select count(distinct topic)::int as n from ${arena.product.schema('management')}.dead_letters
             where request_id = $1`,
            [requestId],
          );
          return rows[0]?.n === topics;
        },
        { message: `dead letters of ${topics} topics` },
      );
    } finally {
      await client.end();
    }
  },
};

/** @returns on how many topics */
async function poisonRequests({ product }: Arena, requestId: string): Promise<number> {
  const { kafkaBrokers, topicPrefix } = product.installation;
  const messaging = await openMessaging(kafkaBrokers, topicPrefix, 'chaos');
  try {
    const topics = new Set(
      Object.values(OPERATIONS).flatMap(({ address, partitions }) =>
        partitions === undefined ? [] : [address],
      ),
    );
    const headers = { ...commandHeaders(randomUUID()), [REQUEST_ID_HEADER]: requestId };
    await messaging.publish(
      [...topics].map((topic) => ({ topic, key: 'poison', value: '{"poison":', headers })),
    );
    return topics.size;
  } finally {
    await messaging.close();
  }
}

export const SURROUNDINGS: readonly Scenario[] = [SLOW_POSTGRES, SLOW_NETWORK, CLOCK_JUMP, POISON];
