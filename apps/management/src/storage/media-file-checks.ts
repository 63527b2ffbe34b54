import type { Queryable } from '@truetally/resource';
import type { ClientBase } from 'pg';

/** Longer than any command that stores a file; a file that was not finished by then never will be. */
const CHECK_LATER = '1 hour';

/**
 * Call it before storing a file, outside of the transaction that will refer to it: if that fails, the file is
 * found.
 */
export async function checkFileLater(pool: Queryable, file: string): Promise<void> {
  await pool.query(
    `insert into media_file_checks (file, check_at) values ($1, now() + interval '${CHECK_LATER}')
     on conflict (file) do update set check_at = greatest(media_file_checks.check_at, excluded.check_at)`,
    [file],
  );
}

/** Until the transaction ends, no other one stores or removes this file. */
export async function lockFile(client: ClientBase, file: string): Promise<void> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || '.media.' || $1, 0))`,
    [file],
  );
}

/** Files that are due for a check, longest waiting first. */
export async function dueFiles(pool: Queryable, limit: number): Promise<readonly string[]> {
  const { rows } = await pool.query<{ file: string }>(
    'select file from media_file_checks where check_at <= now() order by check_at limit $1',
    [limit],
  );
  return rows.map(({ file }) => file);
}

/** Records a file's check as done, unless a later one is scheduled. */
export async function settleCheck(client: ClientBase, file: string): Promise<boolean> {
  const { rowCount } = await client.query(
    'delete from media_file_checks where file = $1 and check_at <= now()',
    [file],
  );
  return rowCount === 1;
}

export async function isFileInUse(client: ClientBase, file: string): Promise<boolean> {
  const { rows } = await client.query('select from media where file = $1 limit 1', [file]);
  return rows.length > 0;
}
