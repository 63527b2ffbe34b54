import type pg from 'pg';

/**
 * What a logical backup holds: every row of every table of every schema, as text. Files of a database may hold a value
 * compressed, where a search of bytes would pass it over; here each is in the clear.
 */
export async function backUp(owner: pg.Client): Promise<ReadonlyMap<string, string>> {
  const { rows } = await owner.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const backup = new Map<string, string>();
  for (const { name } of rows) {
    const table = await owner.query<{ row: string }>(`select kept::text as row from ${name} as kept`);
    backup.set(name, table.rows.map(({ row }) => row).join('\n'));
  }
  return backup;
}
