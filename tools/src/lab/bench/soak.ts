import { SERVICE_NAMES } from '@truetally/contracts/services';
import type { Messaging } from '@truetally/messaging';
import { openMessaging } from '@truetally/testing-product';
import type { LoadResult } from './load-job.js';
import { MIB, residentBytes, treeMemory } from './measure.js';
import type { ProductStack } from './product-stack.js';
import { inEventsPerSecond, type Row } from './report.js';
import { expectOnly, send } from './scenarios.js';

/** Concurrent load: shops that send single events, and shops that send batches. */
const STREAMS = [
  { eventsPerRequest: 1, connections: 64 },
  { eventsPerRequest: 50, connections: 4 },
] as const;
const SHARE_OF_PEAK = 0.7;
const WARM_UP_SECONDS = 20;
const PEAK_SECONDS = 30;
const PIECE_SECONDS = 60;
const SAMPLE_MS = 5_000;
/** The first minutes fill caches and heaps. */
const SETTLING_SHARE = 1 / 3;
/** The increase from the middle third to the last one that still counts as flat: the noise between two minutes. */
const MAX_GROWTH = 1.1;
const MAX_LATENCY_GROWTH = 1.5;
const MAX_LAG_SECONDS = 5;

/**
 * A steady load of 70 % of the peak that was measured just before, for so many minutes: whether memory, lag
 * and latency stay the same. The last third is compared with the middle one.
 */
export async function soakRows(stack: ProductStack, minutes: number): Promise<Row[]> {
  const messaging = await openMessaging(stack.brokers, '', 'bench-soak');
  try {
    await stream(stack, WARM_UP_SECONDS);
    const peak = await stream(stack, PEAK_SECONDS);
    const rates = peak.map(({ requestsPerSecond }) => Math.floor(requestsPerSecond * SHARE_OF_PEAK));
    const pieces: Piece[] = [];
    while (pieces.length < minutes) pieces.push(await measured(stack, messaging, rates));
    return [peakRow(peak), ...thirdsOf(pieces)];
  } finally {
    await messaging.close();
  }
}

/** One minute. */
interface Piece {
  readonly eventsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** The maximum lag of any group. */
  readonly lag: number;
  /** Maximum resident memory by process, in bytes. */
  readonly memory: Readonly<Record<string, number>>;
}

async function measured(stack: ProductStack, messaging: Messaging, rates: readonly number[]): Promise<Piece> {
  const memory: Record<string, number> = {};
  let lag = 0;
  const sample = async (): Promise<void> => {
    for (const [name, bytes] of Object.entries(memoryOf(stack))) {
      memory[name] = Math.max(memory[name] ?? 0, bytes);
    }
    lag = Math.max(lag, ...behindByGroup(await messaging.lag()).values());
  };
  let sampling = Promise.resolve();
  let failure: unknown;
  const timer = setInterval(() => {
    sampling = sampling.then(sample).catch((error: unknown) => {
      failure = error;
    });
  }, SAMPLE_MS);
  let results: readonly LoadResult[];
  try {
    results = await stream(stack, PIECE_SECONDS, rates);
  } finally {
    clearInterval(timer);
    await sampling;
  }
  if (failure !== undefined) throw failure;
  const [singles] = results;
  return {
    eventsPerSecond: results.reduce((sum, { eventsPerSecond }) => sum + eventsPerSecond, 0),
    p50: singles?.latencyMs.p50 ?? 0,
    p99: singles?.latencyMs.p99 ?? 0,
    lag,
    memory,
  };
}

function behindByGroup(partitions: Awaited<ReturnType<Messaging['lag']>>): ReadonlyMap<string, number> {
  const behind = new Map<string, number>();
  for (const { group, lag } of partitions) behind.set(group, (behind.get(group) ?? 0) + lag);
  return behind;
}

/** All streams concurrently, at their rates or as fast as answers arrive. */
async function stream(
  stack: ProductStack,
  seconds: number,
  rates: readonly number[] = [],
): Promise<readonly LoadResult[]> {
  const results = await Promise.all(
    STREAMS.map(({ eventsPerRequest, connections }, index) => {
      const rate = rates[index];
      return send(stack, eventsPerRequest, connections, {
        seconds,
        withoutWrk: true,
        ...(rate === undefined ? {} : { requestsPerSecond: rate }),
      });
    }),
  );
  for (const result of results) expectOnly(result, ['201']);
  return results;
}

/** For services, of each process; for Kafka and Postgres, of all their processes together. */
function memoryOf(stack: ProductStack): Record<string, number> {
  return Object.fromEntries(
    Object.entries(stack.now().pids).map(([name, pid]) => [
      name,
      SERVICE_NAMES.some((service) => service === name) ? residentBytes(pid) : treeMemory([pid]),
    ]),
  );
}

function peakRow(peak: readonly LoadResult[]): Row {
  const events = peak.reduce((sum, { eventsPerSecond }) => sum + eventsPerSecond, 0);
  return { name: 'singles and batches of 50 at once: the peak', figure: inEventsPerSecond(events) };
}

function thirdsOf(pieces: readonly Piece[]): Row[] {
  const start = Math.round(pieces.length * SETTLING_SHARE);
  const middle = pieces.slice(start, 2 * start);
  const last = pieces.slice(2 * start);
  const rate = averageOf(pieces, ({ eventsPerSecond }) => eventsPerSecond);
  const total = Math.round((rate * pieces.length * PIECE_SECONDS) / 1_000_000);
  return [
    {
      name: `${pieces.length} minutes at ${SHARE_OF_PEAK * 100} % of it, every answer 201`,
      figure: `${inEventsPerSecond(rate)}, ${total} million in all`,
    },
    compared([middle, last], 'single events: p50', {
      of: ({ p50 }) => p50,
      unit: ' ms',
      maxGrowth: MAX_LATENCY_GROWTH,
    }),
    compared([middle, last], 'single events: p99', {
      of: ({ p99 }) => p99,
      unit: ' ms',
      maxGrowth: MAX_LATENCY_GROWTH,
    }),
    lagRow(pieces, rate),
    ...Object.keys(pieces[0]?.memory ?? {}).map((name) =>
      compared([middle, last], `memory of ${name}`, {
        of: ({ memory }) => (memory[name] ?? 0) / MIB,
        unit: ' MiB',
        maxGrowth: MAX_GROWTH,
      }),
    ),
  ];
}

interface Growing {
  readonly of: (piece: Piece) => number;
  readonly unit: string;
  readonly maxGrowth: number;
}

function compared(
  [middle, last]: readonly [readonly Piece[], readonly Piece[]],
  name: string,
  { of, unit, maxGrowth }: Growing,
): Row {
  const [before, after] = [averageOf(middle, of), averageOf(last, of)];
  return {
    name: `— ${name}, the middle third and the last`,
    figure: `${Math.round(before)}${unit}, ${Math.round(after)}${unit}`,
    ratio: after / before,
    target: `≤ ${maxGrowth}`,
    isMet: after <= before * maxGrowth,
  };
}

function lagRow(pieces: readonly Piece[], eventsPerSecond: number): Row {
  const most = Math.max(...pieces.map(({ lag }) => lag));
  const seconds = most / eventsPerSecond;
  return {
    name: '— the most that any group had not read yet',
    figure: `${most.toLocaleString('en')} messages, ${seconds.toFixed(1)} s of events`,
    target: `≤ ${MAX_LAG_SECONDS} s`,
    isMet: seconds <= MAX_LAG_SECONDS,
  };
}

function averageOf(pieces: readonly Piece[], of: (piece: Piece) => number): number {
  return pieces.reduce((sum, piece) => sum + of(piece), 0) / pieces.length;
}
