import pg from 'pg';

const DAYS = 30;
const DAYS_AT_ONCE = 2;
/** $1 days ago, in UTC. */
const DAY = `(date_trunc('day', now(), 'UTC') - make_interval(days => $1))`;
const INSERT = `
  select gen_random_uuid(), '00000000-0000-4000-8000-00000000f111'::uuid, 'page_view', 'session-' || n % 100000,
    null, 'device-' || n % 50000, null, at, at, 'browser', false, 'fill', 0, n, n, 'fill-' || n,
    '{"filled":true}'::json, '{"page_url":"https://shop.example/","user_agent":"fill"}'::json
  from generate_series(1, $2::integer) n,
    lateral (select ${DAY} + make_interval(secs => 86400.0 * (n - 1) / $2) as at)`;
const COUNT = `
  insert into event_counts (site_id, hour, writer, received, stored, deduplicated, failed)
  select site_id, date_trunc('hour', received_at, 'UTC'), 0, count(*), count(*), 0, 0
  from events where received_at >= ${DAY} and received_at < ${DAY} + interval '1 day' group by 1, 2`;

/**
 * Fills the event table with events of the past thirty days, to measure storing with many existing events. Ingestion
 * must not run meanwhile: it reads closed partitions only once.
 */
export async function fillEvents(databaseUrl: string, events: number): Promise<void> {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: DAYS_AT_ONCE,
    options: `-c search_path=ingestion -c timezone=UTC -c synchronous_commit=off -c maintenance_work_mem=256MB`,
  });
  const remaining = Array.from({ length: DAYS }, (_, index) => DAYS - index);
  const fillDays = async (): Promise<void> => {
    for (let day = remaining.shift(); day !== undefined; day = remaining.shift()) {
      const count = Math.floor((events * day) / DAYS) - Math.floor((events * (day - 1)) / DAYS);
      await fillDay(pool, day, count);
    }
  };
  try {
    await Promise.all(Array.from({ length: DAYS_AT_ONCE }, fillDays));
    await pool.query('vacuum analyze events');
  } finally {
    await pool.end();
  }
}

/**
 * One transaction: a day is stored with its counters or not at all. Its index is built afterwards, which is
 * faster.
 */
async function fillDay(pool: pg.Pool, daysAgo: number, count: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(`select create_partition(${DAY}, ${DAY} + interval '1 day')`, [daysAgo]);
    const made = await client.query<{ table_name: string }>(
      `select table_name from event_partitions where starts_at = ${DAY}`,
      [daysAgo],
    );
    const table = String(made.rows[0]?.table_name);
    await client.query(`drop index ${table}_event_id`);
    await client.query(`insert into ${table} ${INSERT}`, [daysAgo, count]);
    await client.query(`create unique index ${table}_event_id on ${table} (event_id)`);
    await client.query(COUNT, [daysAgo]);
    await client.query('commit');
  } finally {
    client.release();
  }
}
