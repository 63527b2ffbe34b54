/**
 * See docs/decisions/jobs.md. `due_at` is the time from which any worker may take the job; a finished one has
 * none. The oldest finished ones are searched once a minute, among any number of recent ones. Unfinished ones are few among
 * those of 90 days, and asked for by bounds and by what begins no second one.
 */
export const JOBS_SQL = `
  create table jobs (
    job_id uuid primary key,
    workspace_id uuid not null,
    site_id uuid,
    started_by text,
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
  create index jobs_unfinished on jobs (workspace_id, site_id) where finished_at is null;
  create index jobs_newest on jobs (workspace_id, created_at desc, job_id desc);
  create index jobs_finished_at on jobs (finished_at) where finished_at is not null`;

/**
 * Position and description of each dead letter, whose bytes stay on their topic, and a log of actions that outlives it
 * (docs/decisions/dead-letters.md). Indexes for lists, newest first: by state, and within it by topic or request. The
 * last one finds expired ones.
 */
export const DEAD_LETTERS_SQL = `
  create table dead_letters (
    dead_letter_id uuid primary key,
    at timestamptz(3) not null,
    topic text not null,
    consumer_group text not null,
    reason text not null,
    attempts integer not null,
    request_id text,
    written_at timestamptz(3) not null,
    letter_partition integer not null,
    letter_offset bigint not null,
    state text not null default 'waiting' check (state in ('waiting', 'replayed', 'discarded')),
    handled_at timestamptz(3),
    handled_by text,
    check ((state = 'waiting') = (handled_at is null) and (state = 'waiting') = (handled_by is null))
  );
  create index dead_letters_by_state on dead_letters (state, at desc, dead_letter_id desc);
  create index dead_letters_by_topic on dead_letters (state, topic desc, at desc, dead_letter_id desc);
  create index dead_letters_by_request
    on dead_letters (state, request_id desc, at desc, dead_letter_id desc);
  create index dead_letters_by_age on dead_letters (at);

  create table dead_letter_actions (
    action_id uuid primary key,
    dead_letter_id uuid not null,
    at timestamptz(3) not null,
    actor text not null,
    action text not null check (action in ('replay', 'forced-replay', 'discard')),
    action_request_id text,
    topic text not null,
    reason text not null,
    request_id text
  )`;

/**
 * The service's role cannot delete these rows itself: these functions can, and only what belongs to a deleted
 * site or workspace. The audit entry of the workspace's deletion stays.
 */
export const ERASURE_SQL = `
  create function erase_api_keys(site uuid, at_most integer) returns setof uuid
  language sql security definer set search_path = {schema}, pg_temp as $$
    delete from api_keys where key_id in (
      select key_id from api_keys join sites using (site_id)
      where api_keys.site_id = site and sites.deleted_at is not null limit at_most)
    returning key_id $$;

  create function erase_audit_log(workspace uuid, at_most integer) returns setof uuid
  language sql security definer set search_path = {schema}, pg_temp as $$
    delete from audit_log where audit_id in (
      select audit_id from audit_log join workspaces using (workspace_id)
      where audit_log.workspace_id = workspace and deleted_at is not null
        and not (action = 'delete' and resource = 'workspace') limit at_most)
    returning audit_id $$`;

/**
 * A fact that Kafka refuses after its site or workspace was deleted is dropped instead of set aside; a tombstone is
 * kept, because it deletes data. With the rows locked, a deletion waits until the fact is in the table, where its job
 * finds it (docs/decisions/jobs.md).
 */
export const SKIP_DELETED_SQL = `
  create function skip_deleted() returns trigger
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  begin
    perform from workspaces where workspace_id = new.workspace_id and deleted_at is null for share;
    if not found and new.workspace_id is not null then return null; end if;
    perform from sites where site_id = new.site_id and deleted_at is null for share;
    if not found and new.site_id is not null then return null; end if;
    return new;
  end $$;
  create trigger not_of_deleted before insert on outbox_set_aside
    for each row when (new.value is not null) execute function skip_deleted()`;

export const OPERATIONS_GRANTS_SQL = `
  revoke execute on function erase_api_keys(uuid, integer), erase_audit_log(uuid, integer), skip_deleted() from public;
  grant execute on function erase_api_keys(uuid, integer), erase_audit_log(uuid, integer) to {role};
  grant select, insert, update, delete on jobs, dead_letters, idempotent_replies to {role};
  grant select, insert on dead_letter_actions to {role};
  grant select, insert, delete on outbox, inbox to {role}`;
