import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A touch may lose its session and its click value, and nothing else of it may change: orders keep what they were
 * attributed to, and it leads to nobody. See docs/decisions/erasing-people.md.
 */
const FORGETTING = `
  create index touches_session on touches (site_id, session_id) where session_id is not null;

  drop trigger append_only on touches;
  create trigger append_only before update of id, site_id, touch_id, fingerprint, provider, direction, partner_id,
      landing_path, occurred_at, provenance, recorded_at, request_partition, request_offset, request_id or truncate
    on touches for each statement execute function refuse_change();
  create function refuse_but_forgetting() returns trigger language plpgsql as $$
  begin
    if new.session_id is not null or new.click_hash is not null then
      raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
    end if;
    return new;
  end $$;
  create trigger append_only_but_forgetting before update of session_id, click_hash on touches
    for each row execute function refuse_but_forgetting();

  create or replace function refuse_unless_erased() returns trigger language plpgsql as $$
  declare
    owning_site uuid;
  begin
    if tg_table_name = 'touches' then
      owning_site := old.site_id;
    else
      select site_id into owning_site from {schema}.touches where id = old.touch_row_id and click_hash is not null;
      if owning_site is null then return old; end if;
    end if;
    if not exists (select from {schema}.erased_sites where site_id = owning_site) then
      raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
    end if;
    return old;
  end $$;

  create function forget_sessions(site uuid, sessions text[]) returns bigint
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    ids uuid[];
  begin
    with forgotten as (
      update touches set session_id = null, click_hash = null
      where site_id = site and session_id = any (sessions) returning id
    ) select array_agg(id) into ids from forgotten;
    delete from click_values where touch_row_id = any (ids);
    return coalesce(cardinality(ids), 0);
  end $$;
  revoke execute on function refuse_but_forgetting(), forget_sessions(uuid, text[]) from public;
  grant execute on function forget_sessions(uuid, text[]) to {role}`;

export class ErasePeople1796100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query(
      `select quote_ident(current_schema()) as schema, quote_ident(current_setting('truetally.role')) as role`,
    );
    const { schema, role } = (rows as [{ schema: string; role: string }])[0];
    await runner.query(FORGETTING.replaceAll('{schema}', schema).replaceAll('{role}', role));
  }

  /** Migrations only go forward: what was forgotten does not come back. */
  down(): Promise<void> {
    return Promise.reject(new Error('An erasure cannot be undone.'));
  }
}
