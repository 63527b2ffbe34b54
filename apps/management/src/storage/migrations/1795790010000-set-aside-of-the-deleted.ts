import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A fact that Kafka refuses after its site or workspace was deleted is dropped instead of set aside; a tombstone is
 * kept, because it deletes data. See docs/decisions/jobs.md.
 */
export class SetAsideOfTheDeleted1795790010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query('select quote_ident(current_schema()) as schema');
    const { schema } = (rows as [{ schema: string }])[0];
    await runner.query(SKIP_DELETED.replaceAll('{schema}', schema));
  }

  /** Migrations only go forward. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}

/** With the rows locked, a deletion waits until the fact is in the table, where its job finds it. */
const SKIP_DELETED = `
  create function skip_deleted() returns trigger
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  begin
    perform from workspaces where workspace_id = new.workspace_id and deleted_at is null for share;
    if not found and new.workspace_id is not null then return null; end if;
    perform from sites where site_id = new.site_id and deleted_at is null for share;
    if not found and new.site_id is not null then return null; end if;
    return new;
  end $$;
  create trigger not_of_deleted before insert on outbox_set_aside
    for each row when (new.value is not null) execute function skip_deleted();
  revoke execute on function skip_deleted() from public`;
