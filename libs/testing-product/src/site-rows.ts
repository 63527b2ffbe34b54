import type { Pool } from 'pg';

/**
 * Rows of a site in each table of a service with its id: to insert them, and to count what an erasure leaves.
 */
export class SiteRows<Table extends string> {
  readonly tables: readonly Table[];

  /** @param inserts what follows `insert into <table>`, for the site `$1` and `$2` rows */
  constructor(private readonly inserts: Readonly<Record<Table, string>>) {
    this.tables = Object.keys(inserts) as Table[];
  }

  each(rows: number): Record<Table, number> {
    return Object.fromEntries(this.tables.map((table) => [table, rows])) as Record<Table, number>;
  }

  async fill(owner: Pool, siteId: string, rows: Readonly<Record<Table, number>>): Promise<void> {
    for (const table of this.tables)
      await owner.query(`insert into ${table} ${this.inserts[table]}`, [siteId, rows[table]]);
  }

  async count(owner: Pool, siteId: string): Promise<Readonly<Record<string, number>>> {
    const counts = this.tables.map(
      (table) => `(select count(*)::integer from ${table} where site_id = $1) as ${table}`,
    );
    const { rows } = await owner.query<Record<string, number>>(`select ${counts.join(', ')}`, [siteId]);
    return rows[0] ?? {};
  }
}

/** Every table of a schema with a `site_id`, except the list of erased sites. */
export async function tablesOfSites(owner: Pool, schema: string): Promise<readonly string[]> {
  const { rows } = await owner.query<{ table_name: string }>(
    `select table_name from information_schema.columns join information_schema.tables using (table_schema, table_name)
     where table_schema = $1 and column_name = 'site_id' and table_name <> 'erased_sites' and table_type = 'BASE TABLE' order by 1`,
    [schema],
  );
  return rows.map(({ table_name }) => table_name);
}
