import { ERASED_SITES_SQL, INBOX_TABLE_SQL } from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Erases a deleted site's events. See docs/decisions/jobs.md. */
export class EraseSites1795276800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query(
      `select quote_ident(current_schema()) as schema, quote_ident(current_setting('truetally.role')) as role`,
    );
    const { schema, role } = (rows as [{ schema: string; role: string }])[0];
    for (const part of [ERASED_SITES_SQL, INBOX_TABLE_SQL, ERASURE, GRANTS]) {
      await runner.query(part.replaceAll('{schema}', schema).replaceAll('{role}', role));
    }
  }

  /** Migrations only go forward: what was erased does not come back. */
  down(): Promise<void> {
    return Promise.reject(new Error('An erasure cannot be undone.'));
  }
}

/**
 * Events have no index by site (docs/decisions/deduplication.md), so that a partition is scanned block by
 * block, in disk order. Only rows of an erased site are deleted: the service's role cannot delete anything
 * else, and no row can be missed, because nothing of such a site is stored any more.
 */
const ERASURE = `
  create function erase_events(site uuid, starts timestamptz, first_block bigint, blocks integer,
    out erased bigint, out is_last boolean)
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    partition_name text;
    end_block bigint := first_block + blocks;
  begin
    if not exists (select from erased_sites where site_id = site) then
      raise exception 'site % is not marked as erased', site;
    end if;
    select table_name into partition_name from event_partitions where starts_at = starts;
    if partition_name is null then
      erased := 0;
      is_last := true;
      return;
    end if;
    execute format('delete from %I where ctid >= %L and ctid < %L and site_id = $1', partition_name,
      format('(%s,0)', first_block), format('(%s,0)', end_block)) using site;
    get diagnostics erased = row_count;
    is_last := end_block >= pg_relation_size(quote_ident(partition_name)::regclass) / current_setting('block_size')::integer;
  end $$;

  create function erase_counts(site uuid, at_most integer) returns bigint
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    erased bigint;
  begin
    if not exists (select from erased_sites where site_id = site) then
      raise exception 'site % is not marked as erased', site;
    end if;
    delete from event_counts where ctid = any (array(
      select ctid from event_counts where site_id = site limit at_most));
    get diagnostics erased = row_count;
    return erased;
  end $$`;

const GRANTS = `
  revoke execute on function erase_events(uuid, timestamptz, bigint, integer), erase_counts(uuid, integer) from public;
  grant execute on function erase_events(uuid, timestamptz, bigint, integer), erase_counts(uuid, integer) to {role};
  grant select, insert, delete on inbox to {role}`;
