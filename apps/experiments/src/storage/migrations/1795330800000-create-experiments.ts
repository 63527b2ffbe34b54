import {
  ERASED_SITES_SQL,
  guardErased,
  heldSumsSql,
  INBOX_TABLE_SQL,
  KNOWN_STATES_TABLE_SQL,
  OUTBOX_TABLE_SQL,
  runSql,
} from '@truetally/persistence';
import { IDEMPOTENT_REPLIES_TABLE_SQL } from '@truetally/resource/idempotent-replies';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { EXCLUSIONS } from './tables/exclusions.js';

/** Experiments, their assignments and results. See docs/decisions/experiments.md. */
export class CreateExperiments1795330800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runSql(runner, [OUTBOX_TABLE_SQL, INBOX_TABLE_SQL, IDEMPOTENT_REPLIES_TABLE_SQL]);
    await runSql(runner, [KNOWN_STATES_TABLE_SQL, ERASED_SITES_SQL]);
    await runSql(runner, [
      COPIES,
      EXPERIMENTS,
      HELD,
      ASSIGNMENTS,
      EXCLUSIONS,
      RESULTS,
      APPEND_ONLY,
      ERASURE,
      GRANTS,
    ]);
    // Late facts and commands add no rows of an erased site. See docs/decisions/jobs.md.
    await guardErased(runner, [
      { table: 'sites', on: 'insert' },
      { table: 'campaigns', on: 'insert' },
      { table: 'experiments', on: 'insert' },
      { table: 'exclusion_rounds', on: 'insert' },
      { table: 'outbox_set_aside', on: 'insert' },
    ]);
  }

  /** Migrations only go forward: lost assignments could not be restored. */
  down(): Promise<void> {
    return Promise.reject(new Error('Experiments are never dropped by a migration.'));
  }
}

/**
 * Copies of other services' data, as far as they matter here. Touches and assignments are looked up by one
 * value that is unique over all sites, derived from names: with a site and a name, a plan made while the
 * table was small may read all rows of a site for each.
 */
const COPIES = `
  create table sites (
    site_id uuid primary key,
    workspace_id uuid not null,
    currency text not null,
    version integer not null
  );
  create index sites_workspace on sites (workspace_id);

  create table campaigns (
    campaign_id uuid primary key,
    site_id uuid not null,
    type text not null,
    version integer not null
  );
  create index campaigns_site on campaigns (site_id);

  create table touches (
    touch_key uuid primary key,
    session_key uuid,
    site_id uuid not null,
    provider text not null,
    partner_id text,
    occurred_at timestamptz not null,
    claimed_by uuid
  );
  create index touches_claimed on touches (claimed_by) where claimed_by is not null;
  create index touches_session on touches (session_key, occurred_at, touch_key) where session_key is not null;
  create index touches_site on touches (site_id)`;

const EXPERIMENTS = `
  create table experiments (
    experiment_id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    name text not null,
    hypothesis text,
    surface text not null check (surface in ('overlay', 'recommendation', 'chatbot')),
    campaign_ids uuid[] not null check (cardinality(campaign_ids) >= 1),
    providers text[] not null,
    partner_ids text[] not null,
    traffic double precision not null check (traffic between 0 and 1),
    control_share double precision not null check (control_share between 0 and 1),
    treatment_share double precision not null check (treatment_share between 0 and 1),
    primary_metric text not null,
    alpha double precision not null check (alpha > 0 and alpha < 1),
    power double precision not null check (power > 0 and power < 1),
    minimum_detectable_effect double precision not null check (minimum_detectable_effect > 0),
    baseline_rate double precision not null check (baseline_rate between 0 and 1),
    attribution_window_days integer not null check (attribution_window_days between 1 and 90),
    sessions_per_network integer check (sessions_per_network between 1 and 1000),
    state text not null check (state in ('draft', 'running', 'paused', 'stopped')),
    salt text not null check (salt ~ '^[0-9a-f]{32}$'),
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    version integer not null,
    created_at timestamptz(3) not null,
    updated_at timestamptz(3) not null,
    started_at timestamptz(3),
    stopped_at timestamptz(3),
    check ((state = 'draft') = (started_at is null)),
    check ((state = 'stopped') = (stopped_at is not null))
  );
  create index experiments_page on experiments (site_id, created_at desc, experiment_id desc);
  create index experiments_state_page on experiments (site_id, state desc, created_at desc, experiment_id desc);
  create index experiments_of_workspace on experiments (workspace_id);
  create index experiments_live on experiments (site_id) where state in ('running', 'paused')`;

/** What every gateway holds of an experiment: the campaigns of one that may start, and of one that runs. */
const HELD = heldSumsSql('held_experiments', [
  {
    table: 'experiments',
    columns: ['state', 'campaign_ids'],
    bytes: (row) =>
      `256 + case when ${row}.state in ('draft', 'running') then 88 * cardinality(${row}.campaign_ids) else 0 end`,
  },
]);

const ASSIGNMENTS = `
  create table assignments (
    assignment_id uuid primary key,
    experiment_id uuid not null,
    site_id uuid not null,
    session_id text not null,
    variant text not null check (variant in ('control', 'treatment')),
    provider text not null,
    device text not null,
    assigned_at timestamptz(3) not null,
    correlation_id text,
    network bytea
  );
  create index assignments_site on assignments (site_id);
  create index assignments_network on assignments (experiment_id, network, assignment_id) where network is not null`;

/** Whole minor units, with room for sums and squares of 64-bit amounts. */
const AMOUNT = 'numeric(60, 0) not null default 0';
/**
 * Sums of cubes give the skewness of an arm's sessions, which its intervals need (docs/decisions/experiments.md).
 * Whole cubes of minor units: three times 20 digits, with room for the number of sessions.
 */
const CUBE = 'numeric(90, 0) not null default 0';
const COUNT = 'bigint not null default 0';
const ACCOUNT = `
    revenue ${AMOUNT}, gross_profit ${AMOUNT}, commission ${AMOUNT}, contribution ${AMOUNT},
    counted_orders ${COUNT}, exact_orders ${COUNT}, live_orders ${COUNT}, ruled_orders ${COUNT},
    unruled_orders ${COUNT}, late_orders ${COUNT}, other_currency_orders ${COUNT},
    refunds ${COUNT}, refund_amount ${AMOUNT}, cancellations ${COUNT}, cancellation_amount ${AMOUNT}`;
const SUMS = `
    sessions ${COUNT}, converted_sessions ${COUNT}, ${ACCOUNT},
    revenue_squares ${AMOUNT}, gross_profit_squares ${AMOUNT}, contribution_squares ${AMOUNT}`;

/**
 * The ledger's records by session, one row per assigned session, and the sums over them: of an arm, of an arm
 * in an hour, and of a part of the sample. Orders and hours of a session are what its next record needs, so that
 * it costs the same whatever the number of records before. Records wait in `pending_records` for their session,
 * or for the turn of their site (docs/decisions/experiments.md). A session's result is updated once for most sessions
 * with orders: with free space on its page, its indexes stay unchanged.
 */
const RECORD = `
    assignment_id uuid not null,
    record_id uuid not null,
    site_id uuid not null,
    conversion_id uuid not null,
    order_sequence integer not null,
    event_type text not null,
    currency text not null,
    purchase_occurred_at timestamptz not null,
    recorded_at timestamptz(3) not null,
    revenue_delta numeric(38, 0) not null,
    margin_delta numeric(38, 0),
    commission_delta numeric(38, 0) not null,
    has_exact_margin boolean not null,
    rule text not null check (rule in ('ruled', 'unruled', 'untouched'))`;
const RESULTS = `
  create table session_records (
    ${RECORD},
    primary key (assignment_id, conversion_id, order_sequence, record_id)
  );
  create index session_records_site on session_records (site_id);

  create table pending_records (
    ${RECORD},
    primary key (assignment_id, site_id, conversion_id, order_sequence, record_id)
  );
  create index pending_records_site on pending_records (site_id);

  create table session_orders (
    assignment_id uuid not null,
    conversion_id uuid not null,
    site_id uuid not null,
    last_sequence integer not null,
    last_hour_ms bigint not null,
    purchased_us bigint not null,
    currency text not null,
    has_exact_margin boolean not null,
    rule text not null,
    revenue ${AMOUNT}, commission ${AMOUNT}, earning_revenue ${AMOUNT}, base_margin ${AMOUNT}, base_revenue ${AMOUNT},
    refunds ${COUNT}, refund_amount ${AMOUNT}, cancellations ${COUNT}, cancellation_amount ${AMOUNT},
    primary key (assignment_id, conversion_id)
  ) with (fillfactor = 90);
  create index session_orders_site on session_orders (site_id);

  create table session_hours (
    assignment_id uuid not null,
    hour timestamptz(0) not null,
    site_id uuid not null,
    ${ACCOUNT},
    primary key (assignment_id, hour)
  ) with (fillfactor = 90);
  create index session_hours_site on session_hours (site_id);

  create table sessions_to_fold (
    site_id uuid not null,
    assignment_id uuid not null,
    primary key (site_id, assignment_id)
  );

  create table sites_to_fold (
    site_id uuid primary key,
    next_at timestamptz not null default now(),
    attempts integer not null default 0
  );

  create table session_results (
    assignment_id uuid primary key,
    experiment_id uuid not null,
    site_id uuid not null,
    variant text not null,
    provider text not null,
    device text not null,
    assigned_at timestamptz(3) not null,
    ${ACCOUNT}
  ) with (fillfactor = 80);
  create index session_results_experiment on session_results (experiment_id, assignment_id);
  create index session_results_site on session_results (site_id);

  create table arm_sums (
    experiment_id uuid not null,
    variant text not null,
    ${SUMS},
    revenue_cubes ${CUBE}, gross_profit_cubes ${CUBE}, contribution_cubes ${CUBE},
    primary key (experiment_id, variant)
  ) with (fillfactor = 50);

  create table hour_sums (
    experiment_id uuid not null,
    variant text not null,
    hour timestamptz(0) not null,
    ${SUMS},
    primary key (experiment_id, hour, variant)
  ) with (fillfactor = 50);

  create table sample_parts (
    experiment_id uuid not null,
    dimension text not null check (dimension in ('day', 'provider', 'device', 'excluded')),
    value text not null,
    control ${COUNT},
    treatment ${COUNT},
    primary key (experiment_id, dimension, value)
  ) with (fillfactor = 50);

  create table other_currency_orders (
    experiment_id uuid not null,
    currency text not null,
    orders ${COUNT},
    primary key (experiment_id, currency)
  )`;

/**
 * No role, including the owner, can change an assignment; those of an erased site may be deleted. Its session may be
 * forgotten: results count it as before, and lead to nobody. See docs/decisions/erasing-people.md.
 */
const APPEND_ONLY = `
  create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
  end $$;
  create function refuse_unless_erased() returns trigger language plpgsql as $$
  begin
    if not exists (select from {schema}.erased_sites where site_id = old.site_id) then
      raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
    end if;
    return old;
  end $$;
  create trigger append_only before update of assignment_id, experiment_id, site_id, variant, provider, device, assigned_at,
      correlation_id or truncate on assignments
    for each statement execute function refuse_change();
  create function refuse_but_forgetting() returns trigger language plpgsql as $$
  begin
    if new.session_id <> 'erased' then
      raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
    end if;
    return new;
  end $$;
  create trigger append_only_but_forgetting before update of session_id on assignments
    for each row execute function refuse_but_forgetting();
  create trigger append_only_until_erased before delete on assignments
    for each row execute function refuse_unless_erased()`;

/**
 * The service itself cannot delete assignments, except a bounded number of an erased site's by this function.
 */
const ERASURE = `
  create function erase_assignments(site uuid, at_most integer, out erased bigint)
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  begin
    delete from assignments where assignment_id in (
      select assignment_id from assignments where site_id = site limit at_most);
    get diagnostics erased = row_count;
  end $$;

  create function forget_sessions(site uuid, assignments_of uuid[]) returns bigint
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    forgotten bigint;
  begin
    update assignments set session_id = 'erased', network = null
    where assignment_id = any (assignments_of) and site_id = site and session_id <> 'erased';
    get diagnostics forgotten = row_count;
    return forgotten;
  end $$`;

/** Only the privileges that the service uses. */
const GRANTS = `
  revoke execute on function refuse_change(), refuse_unless_erased(), refuse_but_forgetting(),
    erase_assignments(uuid, integer), forget_sessions(uuid, uuid[]) from public;
  grant execute on function erase_assignments(uuid, integer), forget_sessions(uuid, uuid[]) to {role};
  grant select, insert on assignments to {role};
  grant select, insert, update, delete on sites, campaigns, experiments, idempotent_replies,
    session_results, session_orders, session_hours, sites_to_fold, exclusion_rounds, arm_sums, hour_sums, sample_parts, other_currency_orders to {role};
  grant update (claimed_by) on touches to {role};
  grant select, insert, delete on excluded_sessions, exclusion_changes, touches, session_records, pending_records, sessions_to_fold, outbox, inbox to {role}`;
