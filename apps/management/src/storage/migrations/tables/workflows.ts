/**
 * Secrets are sealed by the gateway: only the keyring opens them, which this service does not have. Deliveries are in the schema of
 * the second program (docs/decisions/workflows.md).
 */
export const WORKFLOWS_SQL = `
  create table workflows (
    id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    name text not null,
    trigger json not null,
    action json not null,
    enabled boolean not null,
    disabled_reason text check (disabled_reason in ('failing', 'member')),
    last_delivered_at timestamptz(3),
    key_id text not null,
    sealed bytea not null,
    former_secrets json not null,
    effective_from timestamptz(3) not null,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    check (enabled = (disabled_reason is null)),
    foreign key (workspace_id, site_id) references sites (workspace_id, site_id)
  );
  create index workflows_of_site on workflows (site_id, created_at desc, id desc);
  grant select, insert, update, delete on workflows to {role}`;
