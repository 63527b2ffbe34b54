import type { ServiceName } from '@truetally/contracts/services';
import type { Product } from '@truetally/testing-product';
import pg from 'pg';

/** Of a test that looks again and again: a new connection takes forty times the processor time of a look. */
const KEPT_MS = 1_000;
/** By what they are connected to. */
const pools = new Map<string, pg.Pool>();

/** Queries a service's schema as its owner, to compare answers with tables. */
export async function queryProduct<Row extends pg.QueryResultRow>(
  product: Product,
  service: ServiceName,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const pool = poolOf(product.installation.databaseUrl, product.schema(service));
  return (await pool.query<Row>(sql, [...values])).rows;
}

function poolOf(connectionString: string, schema: string): pg.Pool {
  const key = `${connectionString} ${schema}`;
  const known = pools.get(key);
  if (known !== undefined) return known;
  const pool = new pg.Pool({
    connectionString,
    options: `-c search_path=${schema}`,
    max: 2,
    idleTimeoutMillis: KEPT_MS,
    allowExitOnIdle: true,
  });
  // The server may end before a connection that nobody uses; a query fails by itself.
  pool.on('error', () => undefined);
  pools.set(key, pool);
  return pool;
}
