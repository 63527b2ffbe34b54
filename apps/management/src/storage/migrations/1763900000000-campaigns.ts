import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** A merchant's content is stored as it is answered; nothing searches inside it. */
const TABLE_SQL = `
  create table if not exists campaigns (
    campaign_id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    type text not null check (type in ('overlay', 'recommendation', 'chatbot')),
    name text not null,
    status text not null check (status in ('draft', 'active', 'paused', 'archived')),
    schedule json,
    targeting json,
    content json not null,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (workspace_id, site_id) references sites (workspace_id, site_id)
  )`;

/** Indexes for lists, newest first, per workspace or site; the latter also serves deletions. */
const INDEXES_SQL = `
  create index if not exists campaigns_of_workspace
    on campaigns (workspace_id, created_at desc, campaign_id desc);
  create index if not exists campaigns_of_site on campaigns (site_id, created_at desc, campaign_id desc)`;

const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, insert, update, delete on campaigns to %I', role);
  end $$`;

export class Campaigns1763900000000 implements MigrationInterface {
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
