import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Only what an operator has said; and who made a workspace, as the audit log has it for those of before. */
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

  /** Migrations only go forward: going back would lose what operators have said since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
