import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isKeyKnown, ManagementClient } from '@truetally/testing-product';
import { eventually } from '@truetally/processes';
import { openShop } from './management.js';
import { inMebibytes, type Row } from './report.js';
import { load, peakMemory, readMetrics } from './measure.js';
import { processorTime } from './processor-time.js';
import type { ProductStack } from './product-stack.js';
import { expectOnly } from './scenarios.js';
import type { ReadersJob, ReadersResult } from './stream-readers.js';

const READERS = 1_000;
const OF_A_KEY = 10;
const EVENTS_PER_REQUEST = 10;
const REQUESTS_PER_SECOND = 5;
const REQUESTS = 100;
const EVENTS = REQUESTS * EVENTS_PER_REQUEST;
/** What is left of an event after its answer: publishing, reading, writing. */
const SETTLING_MS = 3_000;
const NO_PREFIX = '';
const NO_STREAMS = 'truetally_live_streams{service="gateway"} 0';
const MOST_RATIO = 1.1;

interface Pass {
  readonly microseconds: number;
  readonly gateway: number;
  readonly p99: number;
  readonly gatewayBytes: number;
  readonly readers: ReadersResult;
}

/** What storing an event costs while a thousand readers follow another site, and while they follow this one. */
export async function liveRows(stack: ProductStack): Promise<Row[]> {
  // Sites of their own: a site has 100 keys at most, and the demo's has some.
  const [same, other] = [await openShop(stack), await openShop(stack)];
  const [ofOther, ofSame] = [await keysOf(stack, other), await keysOf(stack, same)];
  const writer = ofSame[0] ?? '';
  await pass(stack, writer);
  const alone = await pass(stack, writer);
  const following = await pass(stack, writer, { siteId: other, keys: ofOther });
  // Only writing tells the gateway that a reader is gone.
  await eventually(async () =>
    (await readMetrics(stack.now().operations['gateway'] ?? 0)).includes(NO_STREAMS),
  );
  const reading = await pass(stack, writer, { siteId: same, keys: ofSame });
  const rate = `${EVENTS_PER_REQUEST * REQUESTS_PER_SECOND} events/s`;
  const cost = ({ microseconds, gateway, p99 }: Pass): string =>
    `${microseconds.toFixed(0)} µs an event, gateway ${gateway.toFixed(0)}; answers p99 ${p99} ms`;
  const ratio = following.microseconds / alone.microseconds;
  const { stored, missed, ended } = reading.readers;
  return [
    { name: `${rate} without a reader: processor time`, figure: cost(alone) },
    {
      name: `— with ${READERS} readers of another site`,
      figure: cost(following),
      ratio,
      target: `≤ ${MOST_RATIO} × without`,
      isMet: ratio <= MOST_RATIO,
    },
    {
      name: `— with ${READERS} readers of the same site`,
      figure: cost(reading),
      ratio: reading.microseconds / alone.microseconds,
    },
    {
      name: '— the gateway, for each frame of a reader',
      figure: `${((reading.gateway - alone.gateway) / READERS).toFixed(2)} µs`,
    },
    {
      name: `— frames read of ${(EVENTS * READERS).toLocaleString('en')}, times that some were missed, streams that ended`,
      figure: `${stored.toLocaleString('en')}, ${missed}, ${ended}`,
      target: 'all, 0, 0',
      isMet: stored === EVENTS * READERS && missed === 0 && ended === 0,
    },
    {
      name: '— peak memory of the gateway without readers, and with those of the same site',
      figure: `${inMebibytes(alone.gatewayBytes)}, ${inMebibytes(reading.gatewayBytes)}`,
    },
  ];
}

async function keysOf({ brokers, baseUrl, workspaceId }: ProductStack, siteId: string): Promise<string[]> {
  const management = await ManagementClient.connect(brokers, NO_PREFIX);
  try {
    const keys: string[] = [];
    for (let count = 0; count < READERS / OF_A_KEY; count += 1) {
      const { key } = await management.createApiKey({
        workspace_id: workspaceId,
        site_id: siteId,
        name: `Reader ${count}`,
        scopes: ['analytics:read', 'events:write'],
        hourly_limit: 1_000_000,
      });
      keys.push(key);
    }
    await eventually(() => isKeyKnown(baseUrl, keys.at(-1) ?? ''));
    return keys.flatMap((key) => Array.from({ length: OF_A_KEY }, () => key));
  } finally {
    await management.close();
  }
}

async function pass(
  stack: ProductStack,
  writer: string,
  readers?: { readonly siteId: string; readonly keys: readonly string[] },
): Promise<Pass> {
  const url = `${stack.baseUrl}/analytics/events?site_id=${readers?.siteId ?? ''}`;
  const open = readers === undefined ? undefined : await openReaders({ url, keys: readers.keys });
  const { pids } = stack.now();
  const { result, spent, inAll } = await processorTime(pids, () =>
    peakMemory(pids, async () => {
      const sent = await load({
        url: `${stack.baseUrl}/events/batch`,
        headers: { 'x-api-key': writer },
        connections: 1,
        amount: REQUESTS,
        requestsPerSecond: REQUESTS_PER_SECOND,
        payload: { kind: 'events', eventsPerRequest: EVENTS_PER_REQUEST, idPrefix: `live-${Date.now()}` },
      });
      await delay(SETTLING_MS);
      return sent;
    }),
  );
  expectOnly(result.result, ['201']);
  return {
    microseconds: inAll / EVENTS,
    gateway: (spent['gateway'] ?? 0) / EVENTS,
    p99: result.result.latencyMs.p99,
    gatewayBytes: result.peaks['gateway'] ?? 0,
    readers: (await open?.()) ?? { stored: 0, missed: 0, ended: 0 },
  };
}

/** Resolves when all are open, with what ends them. */
async function openReaders(job: ReadersJob): Promise<() => Promise<ReadersResult>> {
  const script = fileURLToPath(new URL('./stream-readers.js', import.meta.url));
  const child = spawn(process.execPath, [script, JSON.stringify(job)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const next = async (): Promise<ReadersResult> => {
    const line = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => undefined)]);
    if (line === undefined) throw new Error('The readers have ended.');
    return JSON.parse(String(line[0])) as ReadersResult;
  };
  await next();
  return () => {
    child.stdin.end();
    return next();
  };
}
