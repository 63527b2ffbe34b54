import type { ClientBase, Pool } from 'pg';

/** Begins the topics that ClickHouse reads, as `fact_progress` names them. */
export const BY_CLICKHOUSE = 'clickhouse:';

const NEVER = '1970-01-01T00:00:00.000Z';
const AS_TEXT = (moment: string): string =>
  `to_char((${moment}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** What Postgres has read; where ClickHouse answers, the least of both, and never before it has begun. */
const LEAST = `case when $1 then least(min(read_until), coalesce(
    min(read_until) filter (where topic like '${BY_CLICKHOUSE}%'), 'epoch'))
  else min(read_until) filter (where topic not like '${BY_CLICKHOUSE}%') end`;
const AS_OF = `select ${AS_TEXT(LEAST)} as "asOf" from fact_progress`;
const OF_CLICKHOUSE = `select coalesce(extract(epoch from min(read_until)) * 1000, 0)::float8 as at
  from fact_progress where topic like '${BY_CLICKHOUSE}%'`;

const NOW = 'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now';

/** Facts up to then are in the tables. */
export async function asOf(client: ClientBase, withClickHouse: boolean): Promise<string> {
  const { rows } = await client.query<{ asOf: string | null }>(AS_OF, [withClickHouse]);
  return rows[0]?.asOf ?? NEVER;
}

/**
 * Milliseconds since 1970 by Postgres, which also says when events were received and touches recorded: the clock of this machine
 * may be wrong.
 */
export async function nowOf(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ now: number }>(NOW);
  const [row] = rows;
  if (row === undefined) throw new Error('The time has one row.');
  return row.now;
}

/** Milliseconds since 1970 up to which ClickHouse has read everything; 0 before it has begun. */
export async function progressOfClickHouse(pool: Pick<Pool, 'query'>): Promise<number> {
  const { rows } = await pool.query<{ at: number }>(OF_CLICKHOUSE);
  return rows[0]?.at ?? 0;
}
