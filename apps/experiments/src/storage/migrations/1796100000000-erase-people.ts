import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The session of an assignment may be forgotten, and nothing else of it may change: results count it as before, and lead
 * to nobody. See docs/decisions/erasing-people.md.
 */
const FORGETTING = `
  drop trigger append_only on assignments;
  create trigger append_only before update of assignment_id, experiment_id, site_id, variant, provider, device, assigned_at,
      request_partition, request_offset or truncate on assignments
    for each statement execute function refuse_change();
  create function refuse_but_forgetting() returns trigger language plpgsql as $$
  begin
    if new.session_id <> 'erased' then
      raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
    end if;
    return new;
  end $$;
  create trigger append_only_but_forgetting before update of session_id on assignments
    for each row execute function refuse_but_forgetting();

  create function forget_sessions(site uuid, assignments_of uuid[]) returns bigint
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    forgotten bigint;
  begin
    update assignments set session_id = 'erased'
    where assignment_id = any (assignments_of) and site_id = site and session_id <> 'erased';
    get diagnostics forgotten = row_count;
    return forgotten;
  end $$;
  revoke execute on function refuse_but_forgetting(), forget_sessions(uuid, uuid[]) from public;
  grant execute on function forget_sessions(uuid, uuid[]) to {role}`;

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
