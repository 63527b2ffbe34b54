/**
 * Sessions that an experiment's rule leaves out, every change of the rule, and how far a round over the experiment's assignments
 * has come: it starts when the rule changes or a session is new, and looks at a piece at a time. See docs/decisions/experiments.md.
 */
export const EXCLUSIONS = `
  create table excluded_sessions (
    assignment_id uuid primary key,
    experiment_id uuid not null,
    site_id uuid not null
  );
  create index excluded_sessions_experiment on excluded_sessions (experiment_id, assignment_id);
  create index excluded_sessions_site on excluded_sessions (site_id);

  create table exclusion_changes (
    experiment_id uuid not null,
    version integer not null,
    sessions_per_network integer,
    changed_at timestamptz(3) not null,
    primary key (experiment_id, version)
  );

  create table exclusion_rounds (
    experiment_id uuid primary key,
    site_id uuid not null,
    readmits boolean not null default true,
    after_network bytea not null default '',
    after_assignment uuid not null default '00000000-0000-0000-0000-000000000000',
    started_at timestamptz,
    lasted interval not null default '0',
    has_new boolean not null default false,
    checked_until timestamptz,
    next_at timestamptz not null default now(),
    attempts integer not null default 0
  );
  create index exclusion_rounds_next on exclusion_rounds (next_at);
  create index exclusion_rounds_site on exclusion_rounds (site_id)`;
