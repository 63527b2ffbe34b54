import type pg from 'pg';

/**
 * The content of a logical backup: every row of every table of every schema, as text. The files of a database
 * may contain compressed values, which a search for bytes would miss.
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
