import {
  ERASED_SITES_SQL,
  guardErased,
  INBOX_TABLE_SQL,
  KNOWN_STATES_TABLE_SQL,
  OUTBOX_TABLE_SQL,
  runSql,
} from '@truetally/persistence';
import { IDEMPOTENT_REPLIES_TABLE_SQL } from '@truetally/resource/idempotent-replies';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { LEDGER_ACCOUNTS } from '@truetally/contracts/attribution';

/**
 * The ledger and the tables that decide it. See docs/decisions/ledger.md and docs/decisions/attribution.md.
 */
export class CreateLedger1767312000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runSql(runner, [RECORDS, TOUCHES, SETTINGS]);
    await runSql(runner, [OUTBOX_TABLE_SQL, PACKED_OUTBOX, INBOX_TABLE_SQL, IDEMPOTENT_REPLIES_TABLE_SQL]);
    await runSql(runner, [KNOWN_STATES_TABLE_SQL, ERASED_SITES_SQL]);
    await runSql(runner, [APPEND_ONLY, ERASURE, FORGETTING, GRANTS]);
    // Late facts and requests add no rows of an erased site. See docs/decisions/jobs.md.
    await guardErased(runner, [
      { table: 'site_settings', on: 'insert' },
      { table: 'chain_heads', on: 'insert' },
      { table: 'commission_rules', on: 'insert' },
      { table: 'outbox_set_aside', on: 'insert' },
    ]);
  }

  /** Migrations only go forward: taking the ledger away is no migration. */
  down(): Promise<void> {
    return Promise.reject(new Error('The ledger is never dropped by a migration.'));
  }
}

/** Whole minor units, with room for sums of 64-bit amounts. */
const AMOUNT = 'numeric(38, 0)';
/** Optional amounts: null means unknown, which is not zero. */
const OPTIONAL: readonly string[] = ['cost', 'margin'];
const NOT_NULL = (account: string): string => (OPTIONAL.includes(account) ? '' : ' not null');
const DELTA_COLUMNS = LEDGER_ACCOUNTS.map((account) => `${account} ${AMOUNT}${NOT_NULL(account)},`);
const BALANCE_COLUMNS = LEDGER_ACCOUNTS.map((account) => `${account}_balance ${AMOUNT}${NOT_NULL(account)},`);

/** Both halves of a record's accounts: what is owed and why, and observed amounts with their balance. */
function zeroSums(suffix: string): string {
  const named = (names: readonly string[]): string =>
    names
      .map((name) => (OPTIONAL.includes(name) ? `coalesce(${name}${suffix}, 0)` : `${name}${suffix}`))
      .join(' + ');
  return `check (${named(LEDGER_ACCOUNTS.slice(0, 5))} = 0), check (${named(LEDGER_ACCOUNTS.slice(5))} = 0),`;
}

/** 64 hexadecimal digits. A pattern that counts them costs fifteen times as much, twice for each record. */
function isSeal(column: string): string {
  return `length(${column}) = 64 and ${column} !~ '[^0-9a-f]'`;
}

/**
 * An order, an idempotency key and a touch are each looked up by one value that is unique over all sites (ids
 * are derived from names). With a site and a name, a plan made while the table is small uses any index that
 * starts with the site, and reads all rows of the site for each name (measured: 20 to 50 ms for a group,
 * instead of one).
 *
 * `orders` and `order_terms` are an index of the records, written with them: what a list filters by. Microseconds
 * before 1970 (`newest_first`) let one comparison of rows continue "newest first, then by order id"; a term is a touch
 * that the purchase names, or a provider or partner with a share in force.
 *
 * `chain_verifications` keeps what was verified of each chain, and when it is due again.
 */
const RECORDS = `
  create table records (
    site_id uuid not null,
    chain_sequence bigint not null check (chain_sequence > 0),
    record_id uuid not null,
    conversion_id uuid not null,
    order_id text not null,
    order_sequence integer not null check (order_sequence > 0),
    event_type text not null check (event_type in ('purchase', 'adjustment', 'cancellation', 'commission')),
    state text not null check (state in ('recorded', 'adjusted', 'cancelled')),
    idempotency_key text,
    fingerprint text,
    currency text not null check (currency ~ '^[A-Z]{3}$'),
    occurred_at timestamptz not null,
    recorded_at timestamptz(3) not null,
    ${DELTA_COLUMNS.join('\n    ')}
    ${BALANCE_COLUMNS.join('\n    ')}
    margin_basis text check (margin_basis in ('exact', 'estimated')),
    margin_source text,
    reason text,
    lines json,
    touch_ids json not null,
    experiment_assignment_ids json not null,
    attribution json not null,
    request_partition integer,
    request_offset bigint,
    request_id text,
    correlation_id text,
    previous_hash text not null check (${isSeal('previous_hash')}),
    hash text not null check (${isSeal('hash')}),
    attribution_model text not null check (attribution_model in ('linear', 'last_touch', 'first_touch')),
    lookback_days integer check (lookback_days between 1 and 365),
    primary key (site_id, chain_sequence),
    ${zeroSums('')}
    ${zeroSums('_balance')}
    check (receivable_balance >= 0),
    check (commissionable_balance >= 0),
    check ((event_type = 'purchase') = (order_sequence = 1)),
    check ((event_type = 'commission') = (idempotency_key is null)),
    check ((idempotency_key is null) = (fingerprint is null)),
    check ((idempotency_key is null) = (correlation_id is null)),
    check ((event_type = 'cancellation') = (state = 'cancelled')),
    check (state <> 'cancelled' or (receivable_balance = 0 and commissionable_balance = 0 and commission_balance = 0))
  );
  create unique index records_order on records (conversion_id, order_sequence);
  create unique index records_idempotency_key on records ((site_id::text || ':' || idempotency_key))
    where idempotency_key is not null;

  create table chain_heads (
    site_id uuid primary key,
    chain_sequence bigint not null,
    hash text not null,
    recorded_at timestamptz(3) not null
  ) with (fillfactor = 50);

  create table awaited_touches (
    touch_row_id uuid not null,
    conversion_id uuid not null,
    site_id uuid not null,
    order_id text not null,
    touch_id text not null,
    primary key (touch_row_id, conversion_id)
  );
  create index awaited_touches_order on awaited_touches (conversion_id);

  create table orders (
    conversion_id uuid primary key,
    site_id uuid not null,
    order_id text collate "C" not null,
    newest_first bigint not null,
    currency text not null,
    state text not null,
    entry_count integer not null
  ) with (fillfactor = 80);
  create index orders_newest_first on orders (site_id, newest_first, order_id);
  create index orders_changed on orders (site_id, state, newest_first, order_id) where state <> 'recorded';
  create index orders_order_id on orders (site_id, order_id);

  create table order_terms (
    site_id uuid not null,
    term text collate "C" not null,
    newest_first bigint not null,
    order_id text collate "C" not null,
    conversion_id uuid not null,
    primary key (site_id, term, newest_first, order_id)
  );

  create table chain_verifications (
    site_id uuid primary key,
    last json,
    broken json,
    sound_sequence bigint not null default 0,
    sound_hash text not null default repeat('0', 64),
    run json,
    is_whole_run boolean not null default false,
    newer_due_at timestamptz not null default now(),
    whole_due_at timestamptz not null default now(),
    leased_until timestamptz
  ) with (fillfactor = 50);
  create index chain_verifications_broken on chain_verifications (site_id) where broken is not null;

  create view ledger_entries as
    select r.site_id, r.order_id, r.currency, r.record_id, r.chain_sequence, r.recorded_at, a.account, a.amount
    from records r, lateral (values
      ${LEDGER_ACCOUNTS.map((account) => `('${account}', r.${account})`).join(', ')}
    ) as a (account, amount)
    where a.amount <> 0;

  create view balances as
    select site_id, order_id, currency, account, sum(amount) as amount
    from ledger_entries group by site_id, order_id, currency, account`;

/** A row with several facts stays in one page, as it is: to compress it, or to store it in pieces, would cost more than they do. */
const PACKED_OUTBOX = `
  alter table outbox alter column value set storage external;
  alter table outbox set (toast_tuple_target = 8160)`;

const TOUCHES = `
  create table touches (
    id uuid primary key,
    site_id uuid not null,
    touch_id text not null,
    fingerprint text not null,
    provider text not null,
    direction text not null check (direction in ('inbound', 'outbound')),
    partner_id text,
    landing_path text,
    occurred_at timestamptz not null,
    provenance text not null,
    session_id text,
    click_hash text,
    recorded_at timestamptz(3) not null,
    request_id text not null,
    correlation_id text not null,
    unique (site_id, touch_id)
  );
  create index touches_recorded_at on touches (site_id, recorded_at desc, id desc);
  create index touches_session on touches (site_id, session_id) where session_id is not null;

  create table click_values (
    touch_row_id uuid primary key references touches (id),
    key_id text not null,
    sealed bytea not null
  );
  create index click_values_key_id on click_values (key_id, touch_row_id)`;

/** Commission rules and settings of sites; a restore of management's database starts their versions over. */
const SETTINGS = `
  create table commission_rules (
    id uuid primary key,
    site_id uuid not null,
    provider text not null,
    partner_id text,
    type text not null check (type in ('percentage', 'fixed')),
    rate numeric,
    amount ${AMOUNT},
    currency text,
    effective_from timestamptz not null,
    created_at timestamptz(3) not null,
    check ((type = 'percentage') = (rate is not null)),
    check ((type = 'fixed') = (amount is not null and currency is not null)),
    unique nulls not distinct (site_id, provider, partner_id, effective_from)
  );
  create index commission_rules_page on commission_rules (site_id, effective_from desc, id desc);

  create table site_settings (
    site_id uuid primary key,
    attribution_model text not null check (attribution_model in ('linear', 'last_touch', 'first_touch')),
    lookback_days integer check (lookback_days between 1 and 365),
    version integer not null,
    incarnation bigint not null
  ) with (fillfactor = 50)`;

/**
 * Triggers refuse changes by any role, including the owner. Of a click's row only the sealed value and its
 * key's name may be replaced, for key rotation. Touches and click values of an erased site may be deleted. A touch may
 * lose its session and its click value, and nothing else of it may change: orders keep what they were attributed to, and
 * it leads to nobody. See docs/decisions/erasing-people.md.
 */
const APPEND_ONLY = `
  create function refuse_change() returns trigger language plpgsql as $$
  begin
    raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
  end $$;
  create function refuse_unless_erased() returns trigger language plpgsql as $$
  declare
    owning_site uuid;
  begin
    if tg_table_name = 'touches' then
      owning_site := old.site_id;
    else
      select site_id into owning_site from {schema}.touches where id = old.touch_row_id and click_hash is not null;
      if owning_site is null then return old; end if;
    end if;
    if not exists (select from {schema}.erased_sites where site_id = owning_site) then
      raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
    end if;
    return old;
  end $$;
  create trigger append_only before update or delete or truncate on records
    for each statement execute function refuse_change();
  create trigger append_only before update or delete or truncate on commission_rules
    for each statement execute function refuse_change();
  create trigger append_only before update of id, site_id, touch_id, fingerprint, provider, direction, partner_id,
      landing_path, occurred_at, provenance, recorded_at, request_id, correlation_id or truncate
    on touches for each statement execute function refuse_change();
  create function refuse_but_forgetting() returns trigger language plpgsql as $$
  begin
    if new.session_id is not null or new.click_hash is not null then
      raise exception '% of %.% is refused: it is append-only', tg_op, tg_table_schema, tg_table_name;
    end if;
    return new;
  end $$;
  create trigger append_only_but_forgetting before update of session_id, click_hash on touches
    for each row execute function refuse_but_forgetting();
  create trigger append_only_until_erased before delete on touches
    for each row execute function refuse_unless_erased();
  create trigger append_only before update of touch_row_id or truncate on click_values
    for each statement execute function refuse_change();
  create trigger append_only_until_erased before delete on click_values
    for each row execute function refuse_unless_erased()`;

/**
 * The newest touches before a position, with their click values; returns the last position, null when none is
 * left.
 */
const ERASURE = `
  create function erase_touches(site uuid, before timestamptz, before_id uuid, at_most integer,
    out erased bigint, out last_recorded_at timestamptz, out last_id uuid)
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    ids uuid[];
  begin
    select array_agg(page.id), (array_agg(page.recorded_at order by page.recorded_at, page.id))[1],
        (array_agg(page.id order by page.recorded_at, page.id))[1]
      into ids, last_recorded_at, last_id
      from (
        select id, recorded_at from touches where site_id = site and (recorded_at, id) < (before, before_id)
        order by recorded_at desc, id desc limit at_most
      ) page;
    delete from click_values where touch_row_id = any (ids);
    delete from touches where id = any (ids);
    get diagnostics erased = row_count;
  end $$`;

/** What a person's sessions lead to. */
const FORGETTING = `
  create function forget_sessions(site uuid, sessions text[]) returns bigint
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    ids uuid[];
  begin
    with forgotten as (
      update touches set session_id = null, click_hash = null
      where site_id = site and session_id = any (sessions) returning id
    ) select array_agg(id) into ids from forgotten;
    delete from click_values where touch_row_id = any (ids);
    return coalesce(cardinality(ids), 0);
  end $$`;

/** Only the privileges that the service uses. */
const GRANTS = `
  revoke execute on function refuse_change(), refuse_unless_erased(),
    erase_touches(uuid, timestamptz, uuid, integer) from public;
  grant execute on function erase_touches(uuid, timestamptz, uuid, integer) to {role};
  grant select, insert on records, touches, click_values, commission_rules to {role};
  grant update (key_id, sealed) on click_values to {role};
  grant select, insert, update on chain_heads, chain_verifications, orders to {role};
  grant select, insert, update, delete on site_settings, idempotent_replies to {role};
  grant select, insert, delete on awaited_touches, order_terms, outbox, inbox to {role};
  grant select on ledger_entries, balances to {role}`;
