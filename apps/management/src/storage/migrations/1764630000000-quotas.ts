import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Only an operator's settings; and the creator of a workspace, from the audit log for older ones. */
const COLUMNS_SQL = `
  alter table workspaces
    add column if not exists quotas jsonb not null default '{}',
    add column if not exists created_by text;
  update workspaces set created_by = (
    select actor from audit_log
    where audit_log.workspace_id = workspaces.workspace_id and resource_id = workspaces.workspace_id
      and resource = 'workspace' and action = 'create' limit 1)
  where created_by is null;
  create index if not exists workspaces_created_by on workspaces (created_by) where deleted_at is null`;

export class Quotas1764630000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(COLUMNS_SQL);
  }

  /** Migrations only go forward: going back would lose operators' settings. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
