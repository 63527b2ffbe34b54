import { IDEMPOTENT_REPLIES_TABLE_SQL } from '@truetally/resource';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Both disappear for every reader at once; a background job erases their data. */
const DELETED_SQL = `
  alter table workspaces add column if not exists deleted_at timestamptz(3);
  alter table sites add column if not exists deleted_at timestamptz(3)`;

/** Indexes for lists, newest first, within their workspace. */
const LISTS_SQL = `
  create index if not exists sites_of_workspace on sites (workspace_id, created_at desc, site_id desc)`;

const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, insert, update, delete on idempotent_replies to %I', role);
  end $$`;

export class ManagementRoutes1763736000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(DELETED_SQL);
    await runner.query(LISTS_SQL);
    await runner.query(IDEMPOTENT_REPLIES_TABLE_SQL);
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
