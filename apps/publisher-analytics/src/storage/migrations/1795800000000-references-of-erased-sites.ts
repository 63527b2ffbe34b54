import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A rotation of keys does not reseal references of an erased site: an update moves a row, and the erasure, which
 * goes by the order of the disk, would miss it. See docs/decisions/jobs.md.
 */
export class ReferencesOfErasedSites1795800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query('select quote_ident(current_schema()) as schema');
    const { schema } = (rows as [{ schema: string }])[0];
    await runner.query(SKIP_ERASED.replaceAll('{schema}', schema));
  }

  /** Migrations only go forward. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}

/**
 * An update counts as a writer, so that an erasure waits for those that began before its mark. The mark is read
 * after the lock is taken.
 */
const SKIP_ERASED = `
  create function skip_erased() returns trigger
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  begin
    perform erasures_seen();
    if exists (select from erased_sites where site_id = old.site_id) then return null; end if;
    return new;
  end $$;
  create trigger not_of_erased_sites before update on click_references for each row execute function skip_erased();
  revoke execute on function skip_erased() from public`;
