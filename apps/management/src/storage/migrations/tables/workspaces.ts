/**
 * Lists have indexes, newest first, within a workspace or site. A workspace and a site disappear for every reader at
 * once; a background job erases their data. A workspace's quotas are only what operators have set; a key's last use
 * is reported by gateways (docs/decisions/api-keys.md). A person is found by subject or e-mail address, and a deletion
 * finds a site's keys by the site alone. The audit log only grows, so that each of its filters has an index that
 * ends with its order.
 */
export const WORKSPACES_SQL = `
  create table workspaces (
    workspace_id uuid primary key,
    name text not null,
    is_suspended boolean not null default false,
    hourly_limit integer not null check (hourly_limit > 0),
    quotas jsonb not null default '{}',
    created_by text,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    deleted_at timestamptz(3)
  );
  create index workspaces_created_by on workspaces (created_by) where deleted_at is null;

  create table members (
    member_id uuid primary key,
    workspace_id uuid not null references workspaces,
    subject text,
    email text,
    role text not null check (role in ('owner', 'admin', 'analyst')),
    membership text not null check (membership in ('invited', 'accepted')),
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    check (subject is not null or email is not null),
    unique (workspace_id, subject),
    unique (workspace_id, email)
  );
  create index members_of_workspace on members (workspace_id, created_at desc, member_id desc);
  create index members_by_subject on members (subject) where subject is not null;
  create index members_by_email on members (email) where email is not null;

  create table sites (
    site_id uuid primary key,
    workspace_id uuid not null references workspaces,
    name text not null,
    domain text not null,
    allowed_origins text[] not null,
    currency text not null,
    timezone text not null,
    timezone_changes timestamptz[] not null default '{}',
    publisher_mode text not null check (publisher_mode in ('off', 'active')),
    partner_providers text[] not null,
    partner_touch_limit smallint not null check (partner_touch_limit between 1 and 20),
    partner_attribution_model text not null
      check (partner_attribution_model in ('linear', 'last_touch', 'first_touch')),
    partner_lookback_days smallint check (partner_lookback_days between 1 and 365),
    runtime_hourly_limit integer not null check (runtime_hourly_limit > 0),
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    deleted_at timestamptz(3),
    unique (workspace_id, site_id)
  );
  create index sites_of_workspace on sites (workspace_id, created_at desc, site_id desc);

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
    last_used_at timestamptz(3),
    is_known boolean not null default true,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (workspace_id, site_id) references sites (workspace_id, site_id)
  );
  create index api_keys_of_site on api_keys (workspace_id, site_id, created_at desc, key_id desc);
  create index api_keys_by_site on api_keys (site_id);
  create index api_keys_ended on api_keys (least(revoked_at, expires_at)) where is_known;

  create table often_made (
    name text primary key,
    used bigint not null,
    counted_at timestamptz not null default clock_timestamp()
  );
  create index often_made_counted_at on often_made (counted_at);

  create table audit_log (
    audit_id uuid primary key,
    workspace_id uuid not null references workspaces,
    at timestamptz(3) not null,
    actor text,
    action text not null,
    resource text not null,
    resource_id uuid not null
  );
  create index audit_log_of_workspace on audit_log (workspace_id, at desc, audit_id desc);
  create index audit_log_by_actor on audit_log (workspace_id, actor desc, at desc, audit_id desc);
  create index audit_log_by_resource on audit_log (workspace_id, resource desc, at desc, audit_id desc);
  create index audit_log_by_resource_id on audit_log (workspace_id, resource_id desc, at desc, audit_id desc)`;

/**
 * Workspaces, sites and keys are never deleted by the service's role, and the audit log is append-only. A person who
 * accepts an invitation by e-mail is identified by subject from then on. Members are read under row locks, which
 * require the update privilege on a column.
 */
export const WORKSPACE_GRANTS_SQL = `
  grant select, insert, update on workspaces, sites, api_keys to {role};
  grant select, insert, update (role, subject, email, membership, version, updated_at), delete on members to {role};
  grant select, insert on audit_log to {role};
  grant select, insert, update, delete on often_made to {role}`;
