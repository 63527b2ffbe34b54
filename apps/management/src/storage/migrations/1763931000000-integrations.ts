import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Credentials are sealed by the gateway: only the keyring opens them, which this service does not have. */
const TABLE_SQL = `
  create table integrations (
    id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    provider text not null check (provider in ('awin', 'cj')),
    base_url text,
    status text not null check (status in ('pending', 'connected', 'failing')),
    last_sync_at timestamptz(3),
    key_id text not null,
    sealed bytea not null,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (workspace_id, site_id) references sites (workspace_id, site_id)
  )`;

/** Indexes for lists, and for a rotation of keys. */
const INDEXES_SQL = `
  create index integrations_of_site on integrations (site_id, created_at desc, id desc);
  create index integrations_by_key on integrations (key_id, id)`;

const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, insert, update, delete on integrations to %I', role);
  end $$`;

export class Integrations1763931000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE_SQL);
    await runner.query(INDEXES_SQL);
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
