import type { Product } from '@truetally/testing-product';
import pg from 'pg';

export interface StoredEvent {
  readonly event_type: string;
  readonly occurred_at: Date;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** What the service has stored of a site, oldest first; events of one moment in the order in which they were sent. */
export async function storedEvents(product: Product, siteId: string): Promise<readonly StoredEvent[]> {
  const client = new pg.Client({
    connectionString: product.installation.databaseUrl,
    options: `-c search_path=${product.schema('ingestion')}`,
  });
  await client.connect();
  try {
    const sql = `select event_type, occurred_at, properties from events where site_id = $1
      order by occurred_at, request_offset, request_index`;
    return (await client.query<StoredEvent>(sql, [siteId])).rows;
  } finally {
    await client.end();
  }
}
