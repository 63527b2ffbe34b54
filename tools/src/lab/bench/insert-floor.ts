import { randomUUID } from 'node:crypto';
import pg from 'pg';

const ROWS_PER_STATEMENT = 1_024;
const CONNECTIONS = 3;

/**
 * The baseline for storage: rows per second of plain multi-row inserts, one transaction each, into a copy of
 * the events table with the same unique index. No deduplication, no counters, no Kafka, no HTTP.
 */
export async function insertFloor(databaseUrl: string, seconds: number): Promise<number> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: CONNECTIONS });
  try {
    await pool.query('drop schema if exists bench cascade');
    await pool.query('create schema bench');
    await pool.query('create table bench.events (like ingestion.events including defaults)');
    await pool.query('create unique index on bench.events (event_id)');
    const columns = await columnsOf(pool);
    const started = performance.now();
    const until = started + seconds * 1_000;
    const counts = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => insertUntil(pool, columns, until)),
    );
    const elapsedSeconds = (performance.now() - started) / 1_000;
    return counts.reduce((sum, count) => sum + count, 0) / elapsedSeconds;
  } finally {
    await pool.query('drop schema if exists bench cascade');
    await pool.end();
  }
}

interface Column {
  readonly name: string;
  readonly type: string;
}

async function columnsOf(pool: pg.Pool): Promise<readonly Column[]> {
  const { rows } = await pool.query<Column>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = 'bench.events'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );
  return rows;
}

async function insertUntil(pool: pg.Pool, columns: readonly Column[], until: number): Promise<number> {
  const rows = Array.from({ length: ROWS_PER_STATEMENT }, (_, row) => {
    return `(${columns.map((_column, index) => `$${row * columns.length + index + 1}`).join(',')})`;
  });
  const text = `insert into bench.events (${columns.map((column) => column.name).join(',')}) values ${rows.join(',')}`;
  let count = 0;
  while (performance.now() < until) {
    const values = Array.from({ length: ROWS_PER_STATEMENT }, () => columns.map(sampleValue)).flat();
    await pool.query({ name: 'floor', text, values });
    count += ROWS_PER_STATEMENT;
  }
  return count;
}

const PROPERTIES = JSON.stringify({
  product_id: 'SKU-10293',
  product_name: 'Merino jumper',
  product_price: 79.9,
});
const CONTEXT = JSON.stringify({
  page_url: 'https://shop.example/merino-jumper',
  user_agent: 'x'.repeat(120),
});

function sampleValue({ name, type }: Column): unknown {
  if (type === 'uuid') return randomUUID();
  if (type.startsWith('timestamp')) return '2026-01-31T09:30:00.000Z';
  if (type === 'boolean') return false;
  if (type.startsWith('json')) return name === 'context' ? CONTEXT : PROPERTIES;
  if (type === 'bigint' || type === 'integer' || type === 'smallint') return 7;
  return 'browser';
}
