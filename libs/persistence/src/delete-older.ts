/** Rows per statement: some tens of milliseconds, so that nothing waits long for their locks. */
const MAX_ROWS = 1_000;

/** Where rows expire. All of it is SQL of our own, never a value from outside. */
export interface ExpiringRows {
  readonly table: string;
  readonly key: string;
  /** The column with the time from which the retention counts; it has an index. */
  readonly time: string;
  /** Retention, as an interval of Postgres: `90 days`. */
  readonly keep: string;
  /** Which of them expire. Default: all. */
  readonly which?: string;
}

/**
 * Deletes at most 1,000 rows that are older than their retention.
 * @returns whether there may be more
 */
export async function deleteOlder(
  client: { query(statement: string): Promise<{ readonly rowCount: number | null }> },
  { table, key, time, keep, which = 'true' }: ExpiringRows,
): Promise<boolean> {
  const { rowCount } = await client.query(
    // Asked twice: a row may have changed since it was found. The second time as no index tells it: rows are found by their key.
    `delete from ${table} where ${which} and ${time} + interval '${keep}' < now() and ${key} in (
       select ${key} from ${table} where ${which} and ${time} < now() - interval '${keep}' limit ${MAX_ROWS})`,
  );
  return rowCount === MAX_ROWS;
}
