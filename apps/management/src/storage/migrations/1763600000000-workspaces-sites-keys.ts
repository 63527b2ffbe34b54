import { INBOX_TABLE_SQL, OUTBOX_TABLE_SQL } from '@truetally/persistence';
import { type MigrationInterface, type QueryRunner } from 'typeorm';

const TABLES_SQL = `
  create table workspaces (
    workspace_id uuid primary key,
    name text not null,
    is_suspended boolean not null default false,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null
  );

  create table members (
    member_id uuid primary key,
    workspace_id uuid not null references workspaces,
    subject text,
    email text,
    role text not null check (role in ('owner', 'admin', 'analyst')),
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    check (subject is not null or email is not null),
    unique (workspace_id, subject),
    unique (workspace_id, email)
  );

  create table sites (
    site_id uuid primary key,
    workspace_id uuid not null references workspaces,
    name text not null,
    domain text not null,
    allowed_origins text[] not null,
    currency text not null,
    timezone text not null,
    publisher_mode text not null check (publisher_mode in ('off', 'active')),
    partner_providers text[] not null,
    partner_touch_limit smallint not null check (partner_touch_limit between 1 and 20),
    runtime_hourly_limit integer not null check (runtime_hourly_limit > 0),
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    unique (workspace_id, site_id)
  );

  create table api_keys (
    key_id uuid primary key,
    site_id uuid not null,
    workspace_id uuid not null,
    name text not null,
    prefix text not null unique,
    hash bytea not null unique check (octet_length(hash) = 32),
    scopes text[] not null check (cardinality(scopes) > 0),
    hourly_limit integer not null check (hourly_limit > 0),
    limit_id uuid not null,
    expires_at timestamptz(3),
    revoked_at timestamptz(3),
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (workspace_id, site_id) references sites (workspace_id, site_id)
  );

  create table audit_log (
    audit_id uuid primary key,
    workspace_id uuid not null references workspaces,
    at timestamptz(3) not null,
    actor text,
    action text not null,
    resource text not null,
    resource_id uuid not null
  )`;

/**
 * Only the privileges that the service uses: nothing here is ever deleted, and the audit log is append-only.
 */
const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, insert, update on workspaces, sites, api_keys to %I', role);
    execute format('grant insert on members, audit_log to %I', role);
    execute format('grant select, insert, delete on outbox, inbox to %I', role);
  end $$`;

export class WorkspacesSitesKeys1763600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLES_SQL);
    await runner.query(OUTBOX_TABLE_SQL);
    await runner.query(INBOX_TABLE_SQL);
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
