import { verifyService } from '../../stack/verify-service.js';
import { fillPublisher, FILLED_CONTENTS, FILLED_DAYS, FILLED_DESTINATIONS } from './fill-publisher.js';
import type { LoadResult } from './load-job.js';
import type { ProductStack } from './product-stack.js';
import { PublisherBench } from './publisher-bench.js';
import { inEventsPerSecond, type Row } from './report.js';
import { type Durations, expectOnly, freshPrefix } from './scenarios.js';

const SINGLE_CONNECTIONS = 256;
const BATCH_CONNECTIONS = 16;
const BATCH = 50;
/** The two kinds alternate, so that other load on the machine affects both. */
const TURNS = 3;
const CLICKED = 50_000;
const IMPORTED_ROWS = 100_000;
const BAD_ROW_OF = 10;
const MIN_ROWS_PER_SECOND = 12_000;
const MAX_BAD_SECONDS = 15;
const MAX_BEHIND_MS = 5_000;
const REPORTS = 200;
const MAX_REPORT_MS = 150;
const MS_PER_SECOND = 1_000;
const DAY_MS = 86_400_000;
/** A difference of a few hundred bytes is more than a ratio of medians in milliseconds can show. */
const MAX_TIMES_SHORT = 2;

/** Targets of publisher mode, with reports over so many clicks. */
export async function publisherRows(
  stack: ProductStack,
  durations: Durations,
  clicks: number,
): Promise<Row[]> {
  const bench = await PublisherBench.open(stack);
  await bench.load('clicks', 1, SINGLE_CONNECTIONS, durations.warmUpSeconds);
  await bench.load('events', BATCH, BATCH_CONNECTIONS, durations.warmUpSeconds);
  return [
    ...(await againstEvents(bench, 1, SINGLE_CONNECTIONS, durations)),
    ...(await againstEvents(bench, BATCH, BATCH_CONNECTIONS, durations)),
    await behindRow(bench, durations),
    ...(await importRows(bench)),
    ...(await reportRows(bench, stack, clicks)),
  ];
}

async function againstEvents(
  bench: PublisherBench,
  perRequest: number,
  connections: number,
  { measureSeconds }: Durations,
): Promise<Row[]> {
  const sums = { clicks: 0, events: 0 };
  const costs = { clicks: 0, events: 0 };
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (const kind of ['events', 'clicks'] as const) {
      const { result, microseconds } = await bench.spending(() =>
        bench.load(kind, perRequest, connections, measureSeconds / TURNS),
      );
      expectOnly(result, ['201']);
      sums[kind] += result.eventsPerSecond / TURNS;
      costs[kind] += microseconds / (result.sent * perRequest) / TURNS;
    }
  }
  const ratio = sums.clicks / sums.events;
  return [
    {
      name: `clicks ${perRequest === 1 ? 'one by one' : `in batches of ${perRequest}`} against other events`,
      figure: `${inEventsPerSecond(sums.clicks)} against ${inEventsPerSecond(sums.events)}`,
      ratio,
      target: '≥ 1.00',
      isMet: ratio >= 1,
    },
    {
      name: '— processor time of all processes, a click against an event',
      figure: `${costs.clicks.toFixed(0)} µs against ${costs.events.toFixed(0)} µs`,
      ratio: costs.clicks / costs.events,
    },
  ];
}

async function behindRow(bench: PublisherBench, { measureSeconds }: Durations): Promise<Row> {
  const { result, behindMs } = await bench.behindWhile<LoadResult>(() =>
    bench.load('clicks', BATCH, BATCH_CONNECTIONS, measureSeconds),
  );
  expectOnly(result, ['201']);
  return {
    name: `a click is counted after, the slowest while ${inEventsPerSecond(result.eventsPerSecond)} come`,
    figure: `${(behindMs / MS_PER_SECOND).toFixed(1)} s`,
    target: `≤ ${MAX_BEHIND_MS / MS_PER_SECOND} s`,
    isMet: behindMs <= MAX_BEHIND_MS,
  };
}

/** Half of the rows have the reference of a stored click. */
async function importRows(bench: PublisherBench): Promise<Row[]> {
  const prefix = freshPrefix();
  expectOnly(await bench.clicks(prefix, BATCH, CLICKED / BATCH), ['201']);
  const referenceOf = (n: number): string => `${prefix}-${Math.floor(n / BATCH).toString(36)}-${n % BATCH}`;
  await bench.import(csvOf('warm', 5_000, () => ''));
  const goodFile = csvOf('good', IMPORTED_ROWS, referenceOf);
  const { result: good, microseconds } = await bench.spending(() => bench.import(goodFile));
  const bad = await bench.import(csvOf('bad', IMPORTED_ROWS, referenceOf, BAD_ROW_OF));
  const again = await bench.import(goodFile);
  const perSecond = good.job.stored / good.seconds;
  const rows = IMPORTED_ROWS.toLocaleString('en');
  return [
    {
      name: `${rows} settlements uploaded and taken in`,
      figure: `${Math.round(perSecond).toLocaleString('en')} rows/s (${good.seconds.toFixed(1)} s, accepted after ${good.acceptedSeconds.toFixed(1)} s)`,
      target: `≥ ${MIN_ROWS_PER_SECOND.toLocaleString('en')} rows/s`,
      isMet: good.job.stored === IMPORTED_ROWS && perSecond >= MIN_ROWS_PER_SECOND,
    },
    {
      name: '— processor time of all processes, a row',
      figure: `${(microseconds / IMPORTED_ROWS).toFixed(0)} µs`,
    },
    {
      name: `${rows} of which every tenth is wrong`,
      figure: `${bad.seconds.toFixed(1)} s, ${bad.job.failed.toLocaleString('en')} refused`,
      target: `≤ ${MAX_BAD_SECONDS} s`,
      isMet: bad.job.failed === IMPORTED_ROWS / BAD_ROW_OF && bad.seconds <= MAX_BAD_SECONDS,
    },
    {
      name: 'the first of the two once more, which changes nothing',
      figure: `${again.seconds.toFixed(1)} s`,
    },
  ];
}

const HEADER =
  'provider_transaction_id,click_reference,order_reference,status,commissionable_amount,commission_amount,currency,transaction_at,updated_at';
const SALE_DAYS = 90;

function csvOf(
  name: string,
  rows: number,
  referenceOf: (n: number) => string,
  badRowOf = Number.POSITIVE_INFINITY,
): string {
  const lines = [HEADER];
  const statuses = ['pending', 'approved', 'approved', 'declined', 'reversed'];
  const currencies = ['EUR', 'USD', 'GBP'];
  for (let n = 0; n < rows; n += 1) {
    const at = new Date(Date.now() - (n % SALE_DAYS) * DAY_MS - n).toISOString();
    const amount = (n + 1) % badRowOf === 0 ? '12,50' : (10 + (n % 997) / 100).toFixed(2);
    const [status, currency] = [statuses[n % statuses.length], currencies[n % currencies.length]];
    lines.push(
      `${name}-${n},${n < CLICKED ? referenceOf(n) : `unknown-${n}`},order-${n},${status},100.00,"${amount}",${currency},${at},${at}`,
    );
  }
  return lines.join('\n');
}

async function reportRows(bench: PublisherBench, stack: ProductStack, clicks: number): Promise<Row[]> {
  const siteId = await bench.newSite();
  const startedAt = performance.now();
  await fillPublisher({
    databaseUrl: stack.databaseUrl,
    schema: 'publisher_analytics',
    siteId,
    clicks,
    say: (line) => console.log(line),
  });
  const filledSeconds = (performance.now() - startedAt) / MS_PER_SECOND;
  const to = dayFromNow(1);
  const asked = [
    ['30 days, by day', `from=${dayFromNow(-29)}&to=${to}&interval=day`],
    ['3 years, by month', `from=${dayFromNow(1 - FILLED_DAYS)}&to=${to}&interval=month`],
    ['3 years, by day', `from=${dayFromNow(1 - FILLED_DAYS)}&to=${to}&interval=day`],
  ] as const;
  const rows: Row[] = [];
  const millions = `${(clicks / 1_000_000).toLocaleString('en')} million clicks`;
  let first = 0;
  for (const [name, query] of asked) {
    const times = await bench.askReports(siteId, query, REPORTS);
    const [p50 = Number.NaN, p99 = Number.NaN] = [times[REPORTS / 2], times[Math.floor(REPORTS * 0.99)]];
    if (first === 0) first = p50;
    const ratio = p50 / first;
    rows.push({
      name: `the report over ${millions}: ${name}`,
      figure: `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
      ratio,
      target: `≤ ${MAX_REPORT_MS} ms, ≤ ${MAX_TIMES_SHORT} × 30 days`,
      isMet: p99 <= MAX_REPORT_MS && ratio <= MAX_TIMES_SHORT,
    });
  }
  return [...rows, await verifiedRow(stack, clicks, filledSeconds)];
}

async function verifiedRow(stack: ProductStack, clicks: number, filledSeconds: number): Promise<Row> {
  const startedAt = performance.now();
  const code = await verifyService('publisher-analytics', {
    ...process.env,
    DATABASE_URL: stack.databaseUrl,
  });
  const seconds = (performance.now() - startedAt) / MS_PER_SECOND;
  const of = `${FILLED_CONTENTS.toLocaleString('en')} contents and ${FILLED_DESTINATIONS.toLocaleString('en')} destinations`;
  return {
    name: `\`publisher:verify\` over them (of ${of}; filled in ${Math.round(filledSeconds)} s)`,
    figure: `${Math.round(seconds)} s, ${Math.round(clicks / seconds).toLocaleString('en')} clicks/s`,
    target: 'no difference',
    isMet: code === 0,
  };
}

function dayFromNow(days: number): string {
  return new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
