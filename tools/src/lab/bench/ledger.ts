import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hotOrder } from './hot-order.js';
import type { LoadResult } from './load-job.js';
import { load } from './measure.js';
import type { Payload } from './payload.js';
import { costOfEach, processorTime } from './processor-time.js';
import type { ProductStack } from './product-stack.js';
import { inThousands } from '../../ledger/progress.js';
import { type Row } from './report.js';
import { type Durations, expectOnly, freshPrefix } from './scenarios.js';

const run = promisify(execFile);
const CONNECTIONS = 64;
const LINES = 5;
const MOST_MICROSECONDS = 700;
const MANY_LINES = 500;
const MANY_LINES_ORDERS = 200;
/** Enough for some seconds, few enough that the second pass finds them all recorded. */
const REPLAYED_ORDERS = 15_000;
const ADJUSTMENTS = 1_000;
const VERIFY_TIMEOUT_MS = 600_000;

/**
 * Targets of the attribution ledger: recording, replays, one hot order, long orders, and the verification of
 * all of it.
 */
export async function ledgerRows(stack: ProductStack, durations: Durations): Promise<Row[]> {
  await purchase(stack, LINES, CONNECTIONS, { seconds: durations.warmUpSeconds });
  return [
    ...(await purchases(stack, durations)),
    await replays(stack),
    await hotOrderRow(stack),
    await longOrders(stack),
    ...(await verified(stack)),
  ];
}

async function purchases(stack: ProductStack, { measureSeconds }: Durations): Promise<Row[]> {
  const spending = await processorTime(stack.now().pids, () =>
    purchase(stack, LINES, CONNECTIONS, { seconds: measureSeconds }),
  );
  const { result } = spending;
  expectOnly(result, ['201']);
  const { microseconds, figure } = costOfEach(spending, result.sent);
  return [
    {
      name: `purchases of ${LINES} lines, ${CONNECTIONS} connections`,
      figure: inOrders(result),
      target: '≥ 1,500/s',
      isMet: result.requestsPerSecond >= 1_500,
    },
    {
      name: '— p99 latency',
      figure: `${result.latencyMs.p99} ms (p50 ${result.latencyMs.p50} ms)`,
      target: '≤ 150 ms',
      isMet: result.latencyMs.p99 <= 150,
    },
    {
      name: '— processor time of all processes, an order',
      figure,
      target: `≤ ${MOST_MICROSECONDS} µs`,
      isMet: microseconds <= MOST_MICROSECONDS,
    },
  ];
}

async function replays(stack: ProductStack): Promise<Row> {
  const payload = newPayload(stack, LINES, REPLAYED_ORDERS);
  const first = await purchase(stack, LINES, CONNECTIONS, { amount: REPLAYED_ORDERS, payload });
  expectOnly(first, ['201']);
  const second = await purchase(stack, LINES, CONNECTIONS, { amount: REPLAYED_ORDERS, payload });
  expectOnly(second, ['200']);
  const ratio = second.requestsPerSecond / first.requestsPerSecond;
  return {
    name: 'replays of purchases against new ones',
    figure: `${inOrders(second)} against ${inOrders(first)}`,
    ratio,
    target: '≥ 1.00',
    isMet: ratio >= 1,
  };
}

async function hotOrderRow(stack: ProductStack): Promise<Row> {
  const { seconds, refused, faults } = await hotOrder(stack, `hot-${freshPrefix()}`, ADJUSTMENTS);
  const outcome =
    faults.length === 0 ? 'every one recorded once, the sum exact' : faults.slice(0, 3).join('; ');
  return {
    name: `one order, ${ADJUSTMENTS.toLocaleString('en')} adjustments at once`,
    figure: `${seconds.toFixed(1)} s, ${refused} overtaken and sent again, ${outcome}`,
    target: 'no deadlock, lost update or 500',
    isMet: faults.length === 0,
  };
}

async function longOrders(stack: ProductStack): Promise<Row> {
  const payload = newPayload(stack, MANY_LINES, MANY_LINES_ORDERS);
  const result = await purchase(stack, MANY_LINES, 1, { amount: MANY_LINES_ORDERS, payload });
  expectOnly(result, ['201']);
  return {
    name: `an order of ${MANY_LINES} lines, one connection: p50 latency`,
    figure: `${result.latencyMs.p50} ms (p99 ${result.latencyMs.p99} ms)`,
    target: '≤ 30 ms',
    isMet: result.latencyMs.p50 <= 30,
  };
}

/** Everything that the run has recorded, verified by the command itself. */
async function verified({ databaseUrl }: ProductStack): Promise<Row[]> {
  const script = fileURLToPath(new URL('../../ledger-verify.js', import.meta.url));
  const { stdout } = await run(process.execPath, [script], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    timeout: VERIFY_TIMEOUT_MS,
  });
  const said = /^Sound: (\S+) records with (\S+) entries, .* (\S+) records a second\.$/m.exec(stdout);
  const [records, entries, recordsPerSecond] = (said ?? []).slice(1).map((figure) => numberOf(figure));
  if (records === undefined || entries === undefined || recordsPerSecond === undefined) {
    throw new Error(`ledger:verify said: ${stdout}`);
  }
  // An entry is one amount on one account; a purchase is one record of eight of them.
  const entriesPerSecond = (entries / records) * recordsPerSecond;
  return [
    {
      name: '`ledger:verify`',
      figure:
        `${inThousands(entriesPerSecond)} entries/s (${inThousands(recordsPerSecond)} records/s) over ` +
        `${inThousands(entries)} entries in ${inThousands(records)} records`,
      target: '≥ 50,000 entries/s',
      isMet: entriesPerSecond >= 50_000,
    },
  ];
}

function numberOf(figure: string): number {
  return Number(figure.replaceAll(',', ''));
}

function newPayload({ siteId }: ProductStack, lines: number, distinctRequests?: number): Payload {
  const repeated = distinctRequests === undefined ? {} : { distinctRequests };
  const order = { siteId, lines, occurredAt: new Date().toISOString() };
  return { kind: 'purchases', eventsPerRequest: 1, idPrefix: freshPrefix(), ...order, ...repeated };
}

function purchase(
  stack: ProductStack,
  lines: number,
  connections: number,
  extent: { readonly seconds: number } | { readonly amount: number; readonly payload: Payload },
): Promise<LoadResult> {
  return load({
    url: `${stack.baseUrl}/partner-attribution/conversions`,
    headers: { 'x-api-key': stack.apiKey },
    connections,
    payload: newPayload(stack, lines),
    ...extent,
  });
}

function inOrders({ requestsPerSecond }: LoadResult): string {
  return `${Math.round(requestsPerSecond).toLocaleString('en')} orders/s`;
}
