import { ERASED_SITES_SQL, INBOX_TABLE_SQL } from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Erases a deleted site's touches, and keeps its ledger. See docs/decisions/jobs.md. */
export class EraseSites1795276800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query(
      `select quote_ident(current_schema()) as schema, quote_ident(current_setting('truetally.role')) as role`,
    );
    const { schema, role } = (rows as [{ schema: string; role: string }])[0];
    for (const part of [ERASED_SITES_SQL, INBOX_TABLE_SQL, TRIGGERS, ERASURE, GRANTS]) {
      await runner.query(part.replaceAll('{schema}', schema).replaceAll('{role}', role));
    }
  }

  /** Migrations only go forward: what was erased does not come back. */
  down(): Promise<void> {
    return Promise.reject(new Error('An erasure cannot be undone.'));
  }
}

/**
 * Touches and click values stay append-only for any role, including the owner, with one exception: those of
 * an erased site may be deleted. Records and rules are unchanged.
 */
const TRIGGERS = `
  create function refuse_unless_erased() returns trigger language plpgsql as $$
  declare
    owning_site uuid;
  begin
    if tg_table_name = 'touches' then
      owning_site := old.site_id;
    else
      select site_id into owning_site from {schema}.touches where id = old.touch_row_id;
    end if;
    if not exists (select from {schema}.erased_sites where site_id = owning_site) then
      raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
    end if;
    return old;
  end $$;
  drop trigger append_only on touches;
  create trigger append_only before update or truncate on touches
    for each statement execute function refuse_change();
  create trigger append_only_until_erased before delete on touches
    for each row execute function refuse_unless_erased();
  drop trigger append_only on click_values;
  create trigger append_only before update of touch_row_id or truncate on click_values
    for each statement execute function refuse_change();
  create trigger append_only_until_erased before delete on click_values
    for each row execute function refuse_unless_erased()`;

/**
 * The newest touches before a position, with their click values; returns the last position, null when none is
 * left.
 */
const ERASURE = `
  create function erase_touches(site uuid, before timestamptz, before_id uuid, at_most integer,
    out erased bigint, out last_recorded_at timestamptz, out last_id uuid)
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    ids uuid[];
  begin
    select array_agg(page.id), (array_agg(page.recorded_at order by page.recorded_at, page.id))[1],
        (array_agg(page.id order by page.recorded_at, page.id))[1]
      into ids, last_recorded_at, last_id
      from (
        select id, recorded_at from touches where site_id = site and (recorded_at, id) < (before, before_id)
        order by recorded_at desc, id desc limit at_most
      ) page;
    delete from click_values where touch_row_id = any (ids);
    delete from touches where id = any (ids);
    get diagnostics erased = row_count;
  end $$`;

const GRANTS = `
  revoke execute on function refuse_unless_erased(), erase_touches(uuid, timestamptz, uuid, integer) from public;
  grant execute on function erase_touches(uuid, timestamptz, uuid, integer) to {role};
  grant select, insert, delete on inbox to {role}`;
