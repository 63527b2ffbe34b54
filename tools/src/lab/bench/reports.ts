import type { Funnel, Overview, Timeseries } from '@truetally/contracts/analytics';
import { request } from '@truetally/processes';
import { startClickHouse } from '@truetally/testing';
import pg from 'pg';
import { findEngine } from '../../run-tests/find-engine.js';
import { fillClickHouse, fillPostgres, type ReportFilling } from './fill-reports.js';
import { openShop } from './management.js';
import { type ProductStack, startProductStack } from './product-stack.js';
import { inMebibytes, type Row } from './report.js';

/** As long as events are kept by default. */
const DAYS = 400;
/** Reports ask for at most 90: more days of Postgres' rows would change the disk, and no answer. */
const DAYS_IN_POSTGRES = 100;
const DAY_MS = 86_400_000;
const TIMES = 5;
const UNAVAILABLE = 503;
const MOST_REPORT_MS = 200;
const MOST_FUNNEL_MS = 500;
const STEPS = 'page_view,product_view,purchase';

/** What a store answered, and how fast. */
interface Asked {
  readonly rows: readonly Row[];
  /** The figures of the answers that came, by the question. */
  readonly figures: Readonly<Record<string, string | undefined>>;
}

/** Reports over the same events in Postgres and, where its engine is installed, in ClickHouse: over HTTP. */
export async function reportRows(events: number): Promise<readonly Row[]> {
  const postgres = await byPostgres(events);
  if (findEngine() === undefined) return postgres.rows;
  const clickHouse = await byClickHouse(events);
  const isEqual = Object.entries(postgres.figures).every(
    ([question, figures]) => figures === undefined || figures === clickHouse.figures[question],
  );
  return [
    ...postgres.rows,
    ...clickHouse.rows,
    {
      name: 'figures of both stores',
      figure: isEqual ? 'equal' : 'different',
      target: 'equal',
      isMet: isEqual,
    },
  ];
}

async function byPostgres(events: number): Promise<Asked> {
  const stack = await startProductStack();
  try {
    const siteId = await openShop(stack);
    const filled = performance.now();
    await fillPostgres(stack.databaseUrl, fillingOf(siteId, events), DAYS_IN_POSTGRES);
    const seconds = Math.round((performance.now() - filled) / 1_000);
    const bytes = await sizeInPostgres(stack.databaseUrl);
    const rows = events * (DAYS_IN_POSTGRES / DAYS);
    return await ask(
      stack,
      siteId,
      `Postgres, the newest ${DAYS_IN_POSTGRES} of ${DAYS} days at ${inMillions(events)}`,
      {
        name: `Postgres: disk of ${inMillions(rows)} with their sums, filled in ${seconds} s`,
        figure: `${inMebibytes(bytes)}, ${Math.round(bytes / rows)} bytes an event`,
      },
    );
  } finally {
    await stack.stop();
  }
}

async function byClickHouse(events: number): Promise<Asked> {
  const engine = await startClickHouse();
  process.env['ANALYTICS_STORE'] = 'clickhouse';
  process.env['CLICKHOUSE_URL'] = engine.url;
  try {
    const stack = await startProductStack();
    try {
      const siteId = await openShop(stack);
      const address = engine.url.replace('/analytics', '/?database=analytics');
      const run = async (sql: string): Promise<string> => {
        const response = await fetch(address, { method: 'POST', body: sql });
        const text = await response.text();
        if (!response.ok) throw new Error(text);
        return text;
      };
      const filled = performance.now();
      await fillClickHouse(run, fillingOf(siteId, events));
      const seconds = Math.round((performance.now() - filled) / 1_000);
      const size = await run(
        `select sum(bytes_on_disk) as bytes from system.parts where active and table = 'events'`,
      );
      const { bytes } = JSON.parse(size) as { bytes: number };
      return await ask(stack, siteId, `ClickHouse, all ${inMillions(events)}`, {
        name: `ClickHouse: disk of ${inMillions(events)}, filled in ${seconds} s`,
        figure: `${inMebibytes(Number(bytes))}, ${Math.round(Number(bytes) / events)} bytes an event`,
      });
    } finally {
      await stack.stop();
    }
  } finally {
    delete process.env['ANALYTICS_STORE'];
    delete process.env['CLICKHOUSE_URL'];
    await engine.stop();
  }
}

function fillingOf(siteId: string, events: number): ReportFilling {
  return { siteId, events, days: DAYS, endMs: Math.floor(Date.now() / DAY_MS) * DAY_MS };
}

async function ask(stack: ProductStack, siteId: string, where: string, disk: Row): Promise<Asked> {
  const to = Math.floor(Date.now() / DAY_MS) * DAY_MS;
  const days = (count: number): string =>
    `site_id=${siteId}&from=${new Date(to - count * DAY_MS).toISOString()}&to=${new Date(to).toISOString()}`;
  const overview = await timed<Overview>(stack, `overview?${days(90)}`);
  const byDay = await timed<Timeseries>(stack, `timeseries?${days(90)}&interval=day`);
  const byHour = await timed<Timeseries>(stack, `timeseries?${days(90)}&interval=hour`);
  const funnel = await timed<Funnel>(stack, `funnel?${days(30)}&steps=${STEPS}`);
  const row = (name: string, { data, ms }: Timed<unknown>, most: number): Row => ({
    name: `${where}: ${name}`,
    figure: data === undefined ? 'no answer (503)' : `${Math.round(ms)} ms`,
    target: `≤ ${most} ms`,
    isMet: data !== undefined && ms <= most,
  });
  const { events, sessions, by_type } = overview.data ?? {};
  return {
    rows: [
      disk,
      row(`overview of 90 days, ${inMillions(events ?? 0)}`, overview, MOST_REPORT_MS),
      row('90 days', byDay, MOST_REPORT_MS),
      row('their 2,160 hours', byHour, MOST_REPORT_MS),
      row(`funnel of 30 days, three steps`, funnel, MOST_FUNNEL_MS),
    ],
    figures: {
      overview: JSON.stringify([events, sessions, by_type]),
      days: JSON.stringify(byDay.data?.series),
      hours: JSON.stringify(byHour.data?.series),
      funnel: JSON.stringify(funnel.data?.steps),
    },
  };
}

/** An answer and its time; without data it did not come within the time that a gateway waits. */
interface Timed<T> {
  readonly data: T | undefined;
  readonly ms: number;
}

/** The middle one of several. */
async function timed<T>(stack: ProductStack, path: string): Promise<Timed<T>> {
  const times: number[] = [];
  let data: T | undefined;
  for (let time = 0; time < TIMES; time += 1) {
    const asked = performance.now();
    const answer = await request<T>(`${stack.baseUrl}/analytics/${path}`, {
      headers: { authorization: `Bearer ${stack.ownerToken}`, 'x-workspace-id': stack.workspaceId },
    });
    times.push(performance.now() - asked);
    if (answer.status === UNAVAILABLE) return { data: undefined, ms: Infinity };
    data = answer.body.data;
    if (data === undefined) throw new Error(`${answer.status} ${answer.text}`);
  }
  return { data, ms: times.toSorted((one, other) => one - other)[Math.floor(TIMES / 2)] ?? Infinity };
}

async function sizeInPostgres(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ bytes: string }>(
    `select sum(pg_total_relation_size('analytics.' || name))::text as bytes
     from unnest(array['event_blocks', 'event_sums', 'session_quarters', 'session_spans']) name`,
  );
  await client.end();
  return Number(rows[0]?.bytes);
}

function inMillions(events: number): string {
  return `${(events / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} million events`;
}
