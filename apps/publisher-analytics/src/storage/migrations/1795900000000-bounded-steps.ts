import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How often a job's step was begun, and the erasure of settlements in pieces of a bounded number of states. */
export class BoundedSteps1795900000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query(
      `select quote_ident(current_schema()) as schema, quote_ident(current_setting('truetally.role')) as role`,
    );
    const { schema, role } = (rows as [{ schema: string; role: string }])[0];
    for (const part of [STEP_ATTEMPTS, ERASURE]) {
      await runner.query(part.replaceAll('{schema}', schema).replaceAll('{role}', role));
    }
  }

  /** Migrations only go forward: going back would lose what was written since. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}

const STEP_ATTEMPTS = `
  create table step_attempts (
    name text primary key,
    attempts integer not null,
    begun_at timestamptz not null default clock_timestamp()
  );
  create index step_attempts_begun_at on step_attempts (begun_at);
  grant select, insert, update, delete on step_attempts to {role}`;

/** A settlement may have any number of former states: it goes when none of them is left. */
const ERASURE = `
  drop function erase_settlements(uuid, integer);
  create function erase_settlements(site uuid, at_most integer, out erased bigint, out is_last boolean)
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    ids uuid[];
    states bigint;
  begin
    select array_agg(page.settlement_id) into ids
      from (select settlement_id from settlements where site_id = site limit at_most) page;
    delete from settlement_states where ctid = any (array(
      select s.ctid from settlement_states s where s.settlement_id = any (ids) limit at_most));
    get diagnostics states = row_count;
    erased := 0;
    is_last := false;
    if states < at_most then
      delete from settlements where settlement_id = any (ids);
      get diagnostics erased = row_count;
      is_last := erased < at_most;
    end if;
  end $$;
  revoke execute on function erase_settlements(uuid, integer) from public;
  grant execute on function erase_settlements(uuid, integer) to {role}`;
