import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type LocalKafka,
  removePostgresData,
  settleAll,
  startKafka,
  startPostgres,
} from '@truetally/processes';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import pg from 'pg';
import { type NarrowLink, openNarrowLink } from './narrow-link.js';
import { inEventsPerSecond, type Row } from './report.js';
import { expectOnly, freshPrefix, send } from './scenarios.js';

const SERVICES = ['gateway', 'ingestion', 'management'] as const;
const CELLS = ['one', 'two'] as const;
/** So low that Postgres is the bottleneck, and not the processors that both cells share here. */
const POSTGRES_BYTES_PER_SECOND = 1_000_000;
const BATCH = 50;
/** Of all clients together, for any number of cells. */
const CONNECTIONS = 16;
const FULL = { seconds: 20, requests: 1_000 } as const;
const QUICK = { seconds: 8, requests: 300 } as const;
const LEAST_GAIN = 1.7;
const SETTLED_MS = 2_000;

/**
 * Two cells on two Postgres servers compared with one. A cell is a set of sites with its own request topic,
 * consumer group of ingestion and Postgres; both use one Kafka. Each link to Postgres has a bounded throughput.
 */
export async function cellRows(isQuick: boolean): Promise<Row[]> {
  const { seconds, requests } = isQuick ? QUICK : FULL;
  const folder = await mkdtemp(join(tmpdir(), 'truetally-bench-'));
  const kafka = await startKafka({ dataDir: join(folder, 'kafka') });
  const cells: Cell[] = [];
  try {
    for (const name of CELLS) cells.push(await openCell(kafka, join(folder, name)));
    const [first] = cells;
    if (first === undefined) throw new Error('There is no cell.');
    await stream(cells, seconds);
    const alone = await stream([first], seconds);
    const together = await stream(cells, seconds);
    return [
      { name: `batches of ${BATCH}, one cell whose Postgres takes 1 MB/s`, figure: inEventsPerSecond(alone) },
      {
        name: '— the same clients, two such cells',
        figure: inEventsPerSecond(together),
        ratio: together / alone,
        target: `≥ ${LEAST_GAIN} × one`,
        isMet: together >= alone * LEAST_GAIN,
      },
      await replayRow(cells, requests),
    ];
  } finally {
    await settleAll(cells.map((cell) => cell.close()));
    await kafka.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Cell {
  readonly product: LaunchedProduct;
  readonly apiKey: string;
  readonly databaseUrl: string;
  close(): Promise<void>;
}

async function openCell(kafka: LocalKafka, dataDir: string): Promise<Cell> {
  const postgres = await startPostgres({ dataDir, user: 'postgres', password: 'postgres' });
  let link: NarrowLink | undefined;
  try {
    const throughLink = new URL(postgres.url);
    link = await openNarrowLink(Number(throughLink.port), POSTGRES_BYTES_PER_SECOND);
    throughLink.port = String(link.port);
    const stack = { kafkaBrokers: kafka.brokers, databaseUrl: throughLink.href };
    const product = await launchProduct({ stack, services: SERVICES });
    const { key } = await product.createApiKey(await product.createSite());
    return { product, apiKey: key, databaseUrl: postgres.url, close: () => close(product) };
  } catch (error) {
    await close();
    throw error;
  }

  async function close(product?: LaunchedProduct): Promise<void> {
    await product?.stop();
    await link?.close();
    await postgres.stop();
    await removePostgresData(postgres.dataDir);
  }
}

/** New events to all cells concurrently. @returns events per second over all cells */
async function stream(cells: readonly Cell[], seconds: number): Promise<number> {
  const rates = await Promise.all(
    cells.map(async ({ product, apiKey }) => {
      const target = { baseUrl: product.baseUrl, apiKey };
      const result = await send(target, BATCH, CONNECTIONS / cells.length, { seconds });
      expectOnly(result, ['201']);
      return result.eventsPerSecond;
    }),
  );
  return rates.reduce((sum, rate) => sum + rate, 0);
}

/** The same requests to each cell twice: the second pass stores nothing. */
async function replayRow(cells: readonly Cell[], requests: number): Promise<Row> {
  const kept = await Promise.all(
    cells.map(async ({ product, apiKey, databaseUrl }) => {
      const idPrefix = freshPrefix();
      const table = `${product.schema('ingestion')}.events`;
      const counts = [await settledCountOf(databaseUrl, table)];
      for (let time = 0; time < 2; time += 1) {
        const target = { baseUrl: product.baseUrl, apiKey };
        const result = await send(target, BATCH, CONNECTIONS / cells.length, {
          amount: requests,
          payload: { kind: 'events', eventsPerRequest: BATCH, idPrefix },
        });
        expectOnly(result, ['201']);
        counts.push(await settledCountOf(databaseUrl, table));
      }
      const [before = 0, stored = 0, replayed = 0] = counts;
      return { stored: stored - before, again: replayed - stored };
    }),
  );
  const stored = kept.reduce((sum, cell) => sum + cell.stored, 0);
  const again = kept.reduce((sum, cell) => sum + cell.again, 0);
  const sent = cells.length * requests * BATCH;
  return {
    name: `${sent.toLocaleString('en')} events sent twice to the two cells: stored the first time, and the second`,
    figure: `${stored.toLocaleString('en')}, ${again.toLocaleString('en')}`,
    target: 'all, none',
    isMet: stored === sent && again === 0,
  };
}

/** Requests whose client did not wait for the answer are stored a moment later. */
async function settledCountOf(databaseUrl: string, table: string): Promise<number> {
  let before = -1;
  let count = await countOf(databaseUrl, table);
  while (count !== before) {
    await delay(SETTLED_MS);
    before = count;
    count = await countOf(databaseUrl, table);
  }
  return count;
}

async function countOf(databaseUrl: string, table: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ n: number }>(`select count(*)::int as n from ${table}`);
    return rows[0]?.n ?? 0;
  } finally {
    await client.end();
  }
}
