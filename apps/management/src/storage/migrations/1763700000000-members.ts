import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** With a default, so that the previous version can still create workspaces while it serves. */
const HOURLY_LIMIT_SQL = `
  alter table workspaces
    add column if not exists hourly_limit integer not null default 10000 check (hourly_limit > 0)`;

/**
 * Facts of members are read from the table under row locks, which require the update privilege on a column.
 */
const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, update (version) on members to %I', role);
  end $$`;

export class Members1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(HOURLY_LIMIT_SQL);
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
