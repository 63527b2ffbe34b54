import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** With the former behaviour as defaults, which the previous version still writes. */
const COLUMNS_SQL = `
  alter table sites
    add column if not exists partner_attribution_model text not null default 'linear'
      check (partner_attribution_model in ('linear', 'last_touch', 'first_touch')),
    add column if not exists partner_lookback_days smallint
      check (partner_lookback_days between 1 and 365)`;

export class AttributionModels1764400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMNS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
