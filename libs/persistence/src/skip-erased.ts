import type { QueryRunner } from 'typeorm';
import { runSql } from './run-sql.js';

/**
 * Writes nothing for an erased site. The transaction counts as a writer, for which a mark waits; the mark is read
 * after the lock is taken.
 */
const SKIP_ERASED = `
  create or replace function skip_erased() returns trigger
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  begin
    perform erasures_seen();
    if exists (select from erased_sites where site_id = new.site_id) then return null; end if;
    return new;
  end $$;
  revoke execute on function skip_erased() from public`;

/** A table with a `site_id`, and the statements that write nothing for an erased site. */
export interface GuardedTable {
  readonly table: string;
  readonly on: 'insert' | 'update' | 'insert or update';
}

/**
 * For a migration after `ERASED_SITES_SQL`: triggers that keep late facts and requests from writing rows of an
 * erased site, for tables whose transactions do not read the mark themselves. A row costs some microseconds.
 */
export async function guardErased(runner: QueryRunner, tables: readonly GuardedTable[]): Promise<void> {
  const triggers = tables.map(
    ({ table, on }) =>
      `create trigger not_of_erased_sites before ${on} on ${table} for each row execute function skip_erased()`,
  );
  await runSql(runner, [SKIP_ERASED, ...triggers]);
}
