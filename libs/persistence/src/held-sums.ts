/** Rows of which every gateway holds a record in memory. All of it is SQL of our own, never a value from outside. */
export interface HeldRows {
  readonly table: string;
  /** The columns that what they occupy depends on. */
  readonly columns: readonly string[];
  /** An expression for the bytes that a row occupies. */
  readonly bytes: (row: 'new' | 'old') => string;
}

/**
 * For a migration: the table `name` with what the rows of each workspace occupy. Triggers sum it, so that neither a write nor an erasure
 * can forget it; a sum over all rows would read whole tables for each further row.
 */
export function heldSumsSql(name: string, rows: readonly HeldRows[]): string {
  const triggers = rows.map(
    ({ table, columns, bytes }) => `
  create function sum_${name}_of_${table}() returns trigger language plpgsql as $$
  declare
    change bigint := 0;
    owner uuid := coalesce(new.workspace_id, old.workspace_id);
  begin
    if tg_op <> 'DELETE' then change := change + (${bytes('new')}); end if;
    if tg_op <> 'INSERT' then change := change - (${bytes('old')}); end if;
    if change <> 0 then
      insert into {schema}.${name} as held (workspace_id, bytes) values (owner, change)
        on conflict (workspace_id) do update set bytes = held.bytes + excluded.bytes;
    end if;
    return null;
  end $$;
  revoke execute on function sum_${name}_of_${table}() from public;
  grant execute on function sum_${name}_of_${table}() to {role};
  create trigger ${name} after insert or delete or update of ${columns.join(', ')} on ${table}
    for each row execute function sum_${name}_of_${table}();`,
  );
  return `create table ${name} (workspace_id uuid primary key, bytes bigint not null);
  grant select, insert, update on ${name} to {role}; ${triggers.join('')}`;
}
