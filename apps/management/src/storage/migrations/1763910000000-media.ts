import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Several rows, also of several workspaces, may refer to one picture: a file is named by its content. */
const MEDIA_SQL = `
  create table if not exists media (
    media_id uuid primary key,
    workspace_id uuid not null references workspaces,
    file text not null,
    content_type text not null,
    width integer not null check (width > 0),
    height integer not null check (height > 0),
    bytes integer not null check (bytes > 0),
    version integer not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );
  create index if not exists media_of_workspace on media (workspace_id, created_at desc, media_id desc);
  create index if not exists media_of_file on media (file)`;

/**
 * Files that may have lost their last row, or never had one: recorded before a file is stored and whenever a
 * row is deleted, so that no crash leaves an unreferenced file (docs/decisions/media.md).
 */
const CHECKS_SQL = `
  create table if not exists media_file_checks (
    file text primary key,
    check_at timestamptz not null
  );
  create index if not exists media_file_checks_check_at on media_file_checks (check_at)`;

const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, insert, delete on media to %I', role);
    -- "for update", when one is deleted, asks for the right to change something.
    execute format('grant update (version) on media to %I', role);
    execute format('grant select, insert, update, delete on media_file_checks to %I', role);
  end $$`;

export class Media1763910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MEDIA_SQL);
    await runner.query(CHECKS_SQL);
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
