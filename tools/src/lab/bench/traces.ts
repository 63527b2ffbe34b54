import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removePostgresData, settleAll, startKafka, startPostgres } from '@truetally/processes';
import { type TestStack } from '@truetally/testing';
import { launchProduct, type LaunchedProduct } from '@truetally/testing-product';
import { load } from './measure.js';
import { processorTime } from './processor-time.js';
import { type Row } from './report.js';
import { expectOnly, freshPrefix } from './scenarios.js';

const SERVICES = ['gateway', 'ingestion', 'management'] as const;
const SAMPLED = '0.01';
const FULL = { rounds: 8, events: 6_000 } as const;
const QUICK = { rounds: 4, events: 2_500 } as const;
const CONNECTIONS = 16;
const MOST_TIMES_UNTRACED = 1.03;

/**
 * Processor time of gateway and ingestion per event, without traces and with one in a hundred sampled. Two
 * installations on one Kafka and one Postgres alternate, so that other load on the machine affects both;
 * medians are compared.
 */
export async function tracesRows(isQuick: boolean): Promise<Row[]> {
  const { rounds, events } = isQuick ? QUICK : FULL;
  const folder = await mkdtemp(join(tmpdir(), 'truetally-bench-'));
  const [kafka, postgres] = await settleAll([
    startKafka({ dataDir: join(folder, 'kafka') }),
    startPostgres({ dataDir: join(folder, 'postgres'), user: 'postgres', password: 'postgres' }),
  ]);
  const collector = await startCollector();
  const shops: Shop[] = [];
  try {
    const stack = { kafkaBrokers: kafka.brokers, databaseUrl: postgres.url };
    const untraced = await openShop(stack, {}, shops);
    const traced = await openShop(stack, tracedBy(collector), shops);
    for (const shop of shops) await costOf(shop, events);
    const [without, withTraces]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      without.push(await costOf(untraced, events));
      withTraces.push(await costOf(traced, events));
    }
    const [floor, cost] = [median(without), median(withTraces)];
    return [
      {
        name: 'processor time of gateway and ingestion for an event, no traces',
        figure: inMicroseconds(floor),
      },
      {
        name: '— one trace in a hundred kept',
        figure: inMicroseconds(cost),
        ratio: cost / floor,
        target: '≤ 1.03 × without',
        isMet: cost <= floor * MOST_TIMES_UNTRACED,
      },
    ];
  } finally {
    for (const { product } of shops) await product.stop();
    collector.close();
    await Promise.all([kafka.stop(), postgres.stop()]);
    await removePostgresData(postgres.dataDir);
    await rm(folder, { recursive: true, force: true });
  }
}

interface Shop {
  readonly product: LaunchedProduct;
  readonly apiKey: string;
}

async function openShop(stack: TestStack, traces: Record<string, string>, shops: Shop[]): Promise<Shop> {
  const env = { gateway: traces, ingestion: traces };
  const product = await launchProduct({ stack, services: SERVICES, env });
  const shop = { product, apiKey: (await product.createApiKey(await product.createSite())).key };
  shops.push(shop);
  return shop;
}

function tracedBy(collector: Server): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: SAMPLED,
  };
}

/** Accepts everything and stores nothing. */
async function startCollector(): Promise<Server> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{}'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

/** In microseconds for an event. */
async function costOf({ product, apiKey }: Shop, events: number): Promise<number> {
  const processes = [...product.gateways, ...product.processes('ingestion')];
  const pids = Object.fromEntries(processes.map(({ app, pid }) => [app, pid]));
  const { result, inAll } = await processorTime(pids, () =>
    load({
      url: `${product.baseUrl}/events/track`,
      headers: { 'x-api-key': apiKey },
      connections: CONNECTIONS,
      amount: events,
      payload: { kind: 'events', eventsPerRequest: 1, idPrefix: freshPrefix() },
    }),
  );
  expectOnly(result, ['201']);
  return inAll / events;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}

function inMicroseconds(value: number): string {
  return `${Math.round(value)} µs`;
}
