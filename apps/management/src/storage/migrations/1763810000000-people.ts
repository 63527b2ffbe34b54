import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Last use of a key, as reported by gateways (docs/decisions/api-keys.md). */
const KEY_USE_SQL = 'alter table api_keys add column if not exists last_used_at timestamptz(3)';

/**
 * Indexes for lists, newest first, within a workspace or site; and for a person's workspaces by either name.
 */
const LISTS_SQL = `
  create index if not exists members_of_workspace on members (workspace_id, created_at desc, member_id desc);
  create index if not exists members_by_subject on members (subject) where subject is not null;
  create index if not exists members_by_email on members (email) where email is not null;
  create index if not exists api_keys_of_site on api_keys (workspace_id, site_id, created_at desc, key_id desc)`;

/** The log only grows, so that each of its filters has an index that ends with its order. */
const AUDIT_LOG_SQL = `
  create index if not exists audit_log_of_workspace on audit_log (workspace_id, at desc, audit_id desc);
  create index if not exists audit_log_by_actor
    on audit_log (workspace_id, actor desc, at desc, audit_id desc);
  create index if not exists audit_log_by_resource
    on audit_log (workspace_id, resource desc, at desc, audit_id desc);
  create index if not exists audit_log_by_resource_id
    on audit_log (workspace_id, resource_id desc, at desc, audit_id desc)`;

/** Memberships are deleted one by one, so that the role may delete them; the function for it is obsolete. */
const DROP_SQL = 'drop function if exists erase_members(uuid, integer)';

/** The audit log is read, and still never changed. */
const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant update (role, version, updated_at), delete on members to %I', role);
    execute format('grant select on audit_log to %I', role);
  end $$`;

export class People1763810000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(KEY_USE_SQL);
    await runner.query(LISTS_SQL);
    await runner.query(AUDIT_LOG_SQL);
    await runner.query(DROP_SQL);
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
