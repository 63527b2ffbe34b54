import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * References of a person's clicks. The clicks themselves name no person, no session and no reference, and stay, because
 * reports count them. See docs/decisions/erasing-people.md.
 */
const ERASURE = `
  create function refuse_unless_person_erased() returns trigger language plpgsql as $$
  begin
    if current_setting('truetally.erases_person', true) = 'yes'
        or exists (select from {schema}.erased_sites where site_id = old.site_id) then
      return old;
    end if;
    raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
  end $$;
  drop trigger append_only_until_erased on click_references;
  create trigger append_only_until_erased before delete on click_references
    for each row execute function refuse_unless_person_erased();

  create function erase_references(site uuid, events uuid[]) returns bigint
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    erased bigint;
  begin
    -- Not a setting of the function: only a superuser may create one with a parameter of our own.
    perform set_config('truetally.erases_person', 'yes', true);
    delete from click_references where event_id = any (events) and site_id = site;
    get diagnostics erased = row_count;
    perform set_config('truetally.erases_person', '', true);
    return erased;
  end $$;
  revoke execute on function refuse_unless_person_erased(), erase_references(uuid, uuid[]) from public;
  grant execute on function erase_references(uuid, uuid[]) to {role}`;

export class ErasePeople1796100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query(
      `select quote_ident(current_schema()) as schema, quote_ident(current_setting('truetally.role')) as role`,
    );
    const { schema, role } = (rows as [{ schema: string; role: string }])[0];
    await runner.query(ERASURE.replaceAll('{schema}', schema).replaceAll('{role}', role));
  }

  /** Migrations only go forward: what was erased does not come back. */
  down(): Promise<void> {
    return Promise.reject(new Error('An erasure cannot be undone.'));
  }
}
