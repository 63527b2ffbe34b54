import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';

interface DeliveryRow {
  readonly delivery_id: string;
  readonly site_id: string;
  readonly fact_key: string;
}

const COLUMNS = 'delivery_id, site_id, fact_key';

/**
 * Deletes deliveries, and the facts of which they are the last.
 * @param which what follows `from deliveries`, with its parameters
 * @param still asked once more as they are deleted: one may have changed since it was found
 * @returns the ids of those deleted
 */
export async function deleteDeliveries(
  client: ClientBase,
  which: string,
  parameters: readonly unknown[],
  still = 'true',
): Promise<readonly string[]> {
  const found = await client.query<DeliveryRow>(`select ${COLUMNS} from deliveries ${which}`, [
    ...parameters,
  ]);
  if (found.rows.length === 0) return [];
  // First of all, as whoever stores a delivery does: of two that delete its last ones, the later one sees it.
  await client.query(
    `select from facts where (site_id, fact_key) in (select * from unnest($1::uuid[], $2::text[]))
     order by site_id, fact_key for update`,
    factsOf(found.rows),
  );
  const deleted = await client.query<DeliveryRow>(
    `delete from deliveries where delivery_id = any($1::uuid[]) and ${still} returning ${COLUMNS}`,
    [arrayLiteral(found.rows.map(({ delivery_id }) => delivery_id))],
  );
  await client.query(
    `delete from facts where (site_id, fact_key) in (select * from unnest($1::uuid[], $2::text[]))
       and not exists (
         select from deliveries where site_id = facts.site_id and fact_key = facts.fact_key)`,
    factsOf(deleted.rows),
  );
  return deleted.rows.map(({ delivery_id }) => delivery_id);
}

function factsOf(rows: readonly DeliveryRow[]): string[] {
  return [
    arrayLiteral(rows.map(({ site_id }) => site_id)),
    arrayLiteral(rows.map(({ fact_key }) => fact_key)),
  ];
}
