import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * See docs/decisions/jobs.md. `due_at` is the time from which any worker may take the job; a finished one has
 * none.
 */
const JOBS_SQL = `
  create table jobs (
    job_id uuid primary key,
    workspace_id uuid not null,
    type text not null,
    params jsonb not null,
    state text not null check (state in ('queued', 'running', 'completed', 'failed', 'cancelled')),
    total bigint not null default 0,
    done bigint not null default 0,
    stored bigint not null default 0,
    failed bigint not null default 0,
    errors jsonb not null default '[]',
    step text,
    done_steps text[] not null default '{}',
    planned_steps text[] not null default '{}',
    cursor text,
    started_by_sub text,
    started_by_key uuid,
    due_at timestamptz,
    lease uuid,
    lease_owner text,
    attempts integer not null default 0,
    created_at timestamptz(3) not null,
    finished_at timestamptz(3),
    check ((finished_at is null) = (state in ('queued', 'running'))),
    check ((finished_at is null) = (due_at is not null)),
    check (lease is null or state = 'running')
  );
  create index jobs_due_at on jobs (due_at) where due_at is not null;
  create index jobs_of_workspace on jobs (workspace_id)`;

/**
 * The service's role cannot delete these rows itself: these functions can, and only what belongs to a deleted
 * site or workspace. The audit entry of the workspace's deletion stays.
 */
const ERASURE_SQL = `
  create function erase_api_keys(site uuid, at_most integer) returns setof uuid
  language sql security definer set search_path = {schema}, pg_temp as $$
    delete from api_keys where key_id in (
      select key_id from api_keys join sites using (site_id)
      where api_keys.site_id = site and sites.deleted_at is not null limit at_most)
    returning key_id $$;

  create function erase_members(workspace uuid, at_most integer) returns setof text
  language sql security definer set search_path = {schema}, pg_temp as $$
    delete from members where member_id in (
      select member_id from members join workspaces using (workspace_id)
      where members.workspace_id = workspace and deleted_at is not null limit at_most)
    returning coalesce(subject, '') $$;

  create function erase_audit_log(workspace uuid, at_most integer) returns setof uuid
  language sql security definer set search_path = {schema}, pg_temp as $$
    delete from audit_log where audit_id in (
      select audit_id from audit_log join workspaces using (workspace_id)
      where audit_log.workspace_id = workspace and deleted_at is not null
        and not (action = 'delete' and resource = 'workspace') limit at_most)
    returning audit_id $$`;

const GRANTS_SQL = `
  revoke execute on function erase_api_keys(uuid, integer), erase_members(uuid, integer),
    erase_audit_log(uuid, integer) from public;
  grant execute on function erase_api_keys(uuid, integer), erase_members(uuid, integer),
    erase_audit_log(uuid, integer) to {role};
  grant select, insert, update, delete on jobs to {role}`;

export class Jobs1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query(
      `select quote_ident(current_schema()) as schema, quote_ident(current_setting('truetally.role')) as role`,
    );
    const { schema, role } = (rows as [{ schema: string; role: string }])[0];
    for (const part of [JOBS_SQL, ERASURE_SQL, GRANTS_SQL]) {
      await runner.query(part.replaceAll('{schema}', schema).replaceAll('{role}', role));
    }
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
