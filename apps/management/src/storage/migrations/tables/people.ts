/** Fields are stored as the original text, because `jsonb` would respell numbers. */
export const SUBMISSIONS_SQL = `
  create table submissions (
    id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    campaign_id uuid not null,
    session_id text collate "C" not null,
    fields json not null,
    consent json not null,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (workspace_id, site_id) references sites (workspace_id, site_id)
  );
  create index submissions_of_site on submissions (site_id, created_at desc, id desc);
  create index submissions_of_campaign on submissions (site_id, campaign_id desc, created_at desc, id desc);
  create index submissions_of_session on submissions (site_id, session_id, created_at desc, id desc)`;

/** `user_id` is the merchant's, compared byte by byte. */
export const PROFILES_SQL = `
  create table profiles (
    id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    user_id text collate "C" not null,
    email text,
    phone text,
    name text,
    first_name text,
    last_name text,
    language text,
    attributes json not null,
    version integer not null default 1,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    foreign key (workspace_id, site_id) references sites (workspace_id, site_id),
    unique (site_id, user_id)
  ) with (fillfactor = 90);
  create index profiles_of_site on profiles (site_id, created_at desc, id desc);
  create index profiles_of_email on profiles (site_id, email, created_at desc, id desc) where email is not null`;

/** Rows of an import until its job has done them. */
export const IMPORTS_SQL = `
  create table profile_imports (
    job_id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    rows json not null,
    received_at timestamptz not null default clock_timestamp()
  );
  create index profile_imports_site on profile_imports (site_id)`;

/**
 * Erasures of people. A finished one is kept for ever as its proof, and has nothing of the person: `user_id` and the
 * subjects (sessions and clicks) are there only while the job needs them.
 */
export const PEOPLE_ERASURES_SQL = `
  create table erasures (
    erasure_id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    person_hash bytea not null,
    user_id text,
    email text,
    job_id uuid not null,
    requested_at timestamptz(3) not null,
    requested_by text,
    finished_at timestamptz(3),
    check (finished_at is null or (user_id is null and email is null))
  );
  create index erasures_of_site on erasures (site_id, requested_at desc, erasure_id desc);
  create index erasures_of_person on erasures (site_id, person_hash);
  create table erasure_services (
    erasure_id uuid not null references erasures (erasure_id),
    service text not null,
    confirmed_at timestamptz(3),
    profiles bigint not null default 0,
    events bigint not null default 0,
    submissions bigint not null default 0,
    other bigint not null default 0,
    primary key (erasure_id, service)
  );
  create table erasure_subjects (
    erasure_id uuid not null references erasures (erasure_id),
    subject text collate "C" not null,
    primary key (erasure_id, subject)
  )`;

export const PEOPLE_GRANTS_SQL = `
  grant select, insert, update, delete on submissions, profiles, profile_imports to {role};
  grant select, insert, update on erasures, erasure_services to {role};
  grant select, insert, delete on erasure_subjects to {role}`;
