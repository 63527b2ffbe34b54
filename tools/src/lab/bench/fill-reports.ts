import pg from 'pg';

/** What fills a site: events at an even rate, the last of them yesterday (UTC). */
export interface ReportFilling {
  readonly siteId: string;
  /** For so many days; `events` in all. */
  readonly days: number;
  readonly events: number;
  /** Midnight after the last event, in milliseconds since 1970. */
  readonly endMs: number;
}

/** Sessions that go on at the same time. Each has ten events: some minutes apart, in several quarters of an hour. */
const AT_ONCE = 400;
const EVENTS_OF_A_SESSION = 10;
const MICROS_PER_DAY = 86_400_000_000;
/** Types by hundredths; an event's place among them is spread over the events of a moment and of a session. */
const TYPES = { page_view: 50, product_view: 80, add_to_cart: 88, search: 95, purchase: 100 };
const TYPE = (n: string, by: string): string => {
  const place = `(37 * (${n}) + 13 * ${by}(${n}, ${AT_ONCE})) % 100`;
  const cases = Object.entries(TYPES).map(([type, below]) => `when ${place} < ${below} then '${type}'`);
  return `case ${cases.join(' ')} end`;
};
/** Whole division is written differently: `div` in Postgres, `intDiv` in ClickHouse. */
const SESSION = (n: string, by: string): string =>
  `${by}(${n}, ${AT_ONCE * EVENTS_OF_A_SESSION}) * ${AT_ONCE} + (${n}) % ${AT_ONCE}`;

/** Events in Postgres with their sums, computed from them by SQL; the newest days of the filling alone. */
export async function fillPostgres(
  databaseUrl: string,
  filling: ReportFilling,
  newestDays: number,
): Promise<void> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    options:
      '-c search_path=analytics -c timezone=UTC -c synchronous_commit=off -c maintenance_work_mem=1GB -c work_mem=1GB',
  });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; sql: string }>(
      `select indexname as name, indexdef as sql from pg_indexes
       where schemaname = 'analytics' and tablename = 'event_blocks' and indexname <> 'event_blocks_pkey'`,
    );
    for (const { name } of rows) await client.query(`drop index ${name}`);
    const perDay = filling.events / filling.days;
    const first = Math.round(perDay * (filling.days - newestDays));
    const stepMicros = MICROS_PER_DAY / perDay;
    const begin = new Date(filling.endMs - (filling.days * MICROS_PER_DAY) / 1_000).toISOString();
    await client.query(EVENTS, [filling.siteId, first, filling.events - 1, begin, stepMicros]);
    for (const { sql } of rows) await client.query(sql);
    for (const statement of SUMS) await client.query(statement, [filling.siteId]);
    await client.query('vacuum analyze');
  } finally {
    await client.end();
  }
}

/** As a fold writes them, with a filter that has every key. */
const EVENTS_OF_BLOCK = 2_000;
const TYPE_LIST = `'{${Object.keys(TYPES).join(',')}}'::text[]`;
const EVENTS = `
  insert into event_blocks (site_id, is_bot, events, received_from, received_to, occurred_from, occurred_to, event_types, filter,
    event_ids, session_keys, request_keys, type_places, devices, occurred_at, received_at, positions)
  select $1, false, count(*), min(at), max(at), min(at), max(at), ${TYPE_LIST}, decode(repeat('ff', 8), 'hex'),
    array_agg((lpad(to_hex(n), 8, '0') || '-0000-4000-8000-000000000000')::uuid order by n),
    array_agg(md5((${SESSION('n', 'div')})::text)::uuid order by n), array_agg(md5('r' || n)::uuid order by n),
    array_agg(array_position(${TYPE_LIST}, ${TYPE('n', 'div')}) order by n),
    array_agg(case n % 2 when 0 then 'mobile' else 'desktop' end order by n), array_agg(at order by n), array_agg(at order by n),
    array_agg(n order by n)
  from generate_series($2::bigint, $3::bigint) n,
    lateral (select $4::timestamptz + floor(n * $5::float8) * interval '1 microsecond' as at)
  group by div(n, ${EVENTS_OF_BLOCK})`;
const QUARTER = 'floor(extract(epoch from occurred_at) / 900)::integer';
const SUMS = [
  `insert into event_sums select site_id, ${QUARTER}, event_type, count(*) from events where site_id = $1 group by 1, 2, 3`,
  `insert into session_quarters select distinct site_id, session_key, ${QUARTER} from events where site_id = $1`,
  `insert into session_spans select site_id, quarter, previous, count(*) from (
     select site_id, quarter, coalesce(lag(quarter) over (partition by session_key order by quarter), -2147483648) as previous
     from session_quarters where site_id = $1) seen group by 1, 2, 3`,
];

/** The same events in ClickHouse, a part of them in each statement. */
export async function fillClickHouse(
  run: (sql: string) => Promise<unknown>,
  filling: ReportFilling,
): Promise<void> {
  const { siteId, days, events, endMs } = filling;
  const stepMicros = MICROS_PER_DAY / (events / days);
  const beginMicros = endMs * 1_000 - days * MICROS_PER_DAY;
  for (let from = 0; from < events; from += ROWS_AT_ONCE) {
    const rows = Math.min(ROWS_AT_ONCE, events - from);
    await run(`insert into events
      select toUUID('${siteId}'), fromUnixTimestamp64Milli(intDiv(at, 1000), 'UTC'), generateUUIDv4(), at,
        reinterpretAsUUID(sipHash128(${SESSION('n', 'intDiv')})), generateUUIDv4(1), bitNot(n), false, ${TYPE('n', 'intDiv')},
        if(n % 2 = 0, 'mobile', 'desktop')
      from (select number + ${from} as n, ${beginMicros} + toInt64(floor(n * ${stepMicros})) as at from numbers(${rows}))`);
  }
}

const ROWS_AT_ONCE = 2_500_000;
