import type { ServiceName } from '@truetally/contracts/services';
import type { Product } from '@truetally/testing-product';
import pg from 'pg';

/** Queries a service's schema as its owner, to compare answers with tables. */
export async function queryProduct<Row extends pg.QueryResultRow>(
  product: Product,
  service: ServiceName,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({
    connectionString: product.installation.databaseUrl,
    options: `-c search_path=${product.schema(service)}`,
  });
  await client.connect();
  try {
    return (await client.query<Row>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
