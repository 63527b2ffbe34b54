import { eventually } from '@truetally/processes';
import { fillEvents } from './fill-events.js';
import { targetOf } from './main-job.js';
import { readMetrics } from './measure.js';
import type { ProductStack } from './product-stack.js';
import { inEventsPerSecond, type Row } from './report.js';
import { type Durations, send, type Target, warmUp } from './scenarios.js';

const RESTART_TIMEOUT_MS = 60_000;
/** Filters of closed partitions are computed a single time, page by page, in the background. */
const FILTERS_TIMEOUT_MS = 600_000;
const FILTERS_POLL_MS = 1_000;
const AT_LEAST = 0.9;

/** Events stored per second with an empty table, and then with so many events from the past thirty days. */
export async function storedEventsRows(
  stack: ProductStack,
  durations: Durations,
  events: number,
): Promise<Row[]> {
  const target = await targetOf(stack);
  const before = await measure(target, durations);
  await fill(stack, events);
  const after = await measure(target, durations);
  const millions = `${(events / 1_000_000).toLocaleString('en')} million stored events`;
  return before.map(({ name, eventsPerSecond }, index) => {
    const now = after[index]?.eventsPerSecond ?? 0;
    const ratio = now / eventsPerSecond;
    return {
      name: `${name} with ${millions}, against none`,
      figure: `${inEventsPerSecond(now)} against ${inEventsPerSecond(eventsPerSecond)}`,
      ratio,
      target: '≥ 0.90',
      isMet: ratio >= AT_LEAST,
    };
  });
}

interface Measured {
  readonly name: string;
  readonly eventsPerSecond: number;
}

async function measure(target: Target, durations: Durations): Promise<readonly Measured[]> {
  await warmUp(target, durations);
  const extent = { seconds: durations.measureSeconds };
  const single = await send(target, 1, 256, extent);
  const batch = await send(target, 50, 16, extent);
  return [
    { name: 'single events', eventsPerSecond: single.eventsPerSecond },
    { name: 'batches of 50', eventsPerSecond: batch.eventsPerSecond },
  ];
}

/** Ingestion is stopped meanwhile, and then killed, so that a new process starts with the existing data. */
async function fill(stack: ProductStack, events: number): Promise<void> {
  const { pids } = stack.now();
  const ingestion = pids['ingestion'];
  if (ingestion === undefined) throw new Error('The stack runs no ingestion.');
  process.kill(ingestion, 'SIGSTOP');
  try {
    await fillEvents(stack.databaseUrl, events);
  } finally {
    process.kill(ingestion, 'SIGKILL');
  }
  await eventually(() => stack.now().pids['ingestion'] !== ingestion, {
    timeoutMs: RESTART_TIMEOUT_MS,
    message: 'ingestion to be started again',
  });
  await eventually(() => hasReadItsFilters(stack.now().operations['ingestion'] ?? 0), {
    timeoutMs: FILTERS_TIMEOUT_MS,
    intervalMs: FILTERS_POLL_MS,
    message: 'the filters of all closed partitions to be read',
  });
}

async function hasReadItsFilters(operationsPort: number): Promise<boolean> {
  const text = await readMetrics(operationsPort);
  const value = (name: string): number =>
    Number(new RegExp(`^truetally_${name}(?:{[^}]*})? (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  return value('ingestion_closed_partitions') > 0 && value('ingestion_unread_partitions') === 0;
}
