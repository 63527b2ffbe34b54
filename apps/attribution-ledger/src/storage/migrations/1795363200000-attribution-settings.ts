import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Commission settings of a site, and of each record's decision. See docs/decisions/attribution.md. */
export class AttributionSettings1795363200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query(`select quote_ident(current_setting('truetally.role')) as role`);
    const { role } = (rows as [{ role: string }])[0];
    await runner.query(RECORD_COLUMNS_SQL);
    await runner.query(SETTINGS.replaceAll('{role}', role));
  }

  /** Migrations only go forward: the columns are sealed into records. */
  down(): Promise<void> {
    return Promise.reject(new Error('What records were decided by is never dropped.'));
  }
}

/**
 * Null in older records, and in those of an older service version. The checks are not validated for existing
 * rows: reading them all would block every writer.
 */
const RECORD_COLUMNS_SQL = `
  alter table records
    add column attribution_model text,
    add column lookback_days integer,
    add constraint records_attribution_model
      check (attribution_model in ('linear', 'last_touch', 'first_touch')) not valid,
    add constraint records_lookback_days
      check (lookback_days is null or (lookback_days between 1 and 365 and attribution_model is not null)) not valid`;

const SETTINGS = `
  create table site_settings (
    site_id uuid primary key,
    attribution_model text not null check (attribution_model in ('linear', 'last_touch', 'first_touch')),
    lookback_days integer check (lookback_days between 1 and 365),
    version integer not null
  ) with (fillfactor = 50);
  grant select, insert, update, delete on site_settings to {role}`;
