import {
  ERASED_PEOPLE_SQL,
  ERASED_SITES_SQL,
  INBOX_TABLE_SQL,
  INCARNATIONS_TABLE_SQL,
  PEOPLE_WRITERS_SQL,
  runSql,
} from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ERASING_PEOPLE_SQL } from './tables/erasing-people.js';
import { OLD_PARTITIONS_SQL } from './tables/old-partitions.js';

/**
 * The event table, its partitions, and the uniqueness of events. See docs/decisions/deduplication.md. The
 * service's role never runs DDL: it calls functions that belong to the migration's owner.
 */
export class CreateEvents1767225600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runSql(runner, [INBOX_TABLE_SQL, INCARNATIONS_TABLE_SQL, ERASED_SITES_SQL]);
    await runSql(runner, [TABLES, PARTITIONS, CLOCK, KEYS, OLD_PARTITIONS_SQL, ERASURE, GRANTS]);
    await runSql(runner, [ERASED_PEOPLE_SQL, PEOPLE_WRITERS_SQL, ERASING_PEOPLE_SQL]);
  }

  /** Migrations only go forward: taking the events away is no migration. */
  down(): Promise<void> {
    return Promise.reject(new Error('Events are never dropped by a migration.'));
  }
}

/**
 * `received_at` is the storing transaction's database time, so that an ended partition is immutable. A request is
 * identified by its correlation id, which both copies of a repeated produce share.
 */
const TABLES = `
  create table events (
    event_id uuid not null,
    site_id uuid not null,
    event_type text not null,
    session_id text not null,
    user_id text,
    device_id text,
    client_event_id text,
    occurred_at timestamptz not null,
    received_at timestamptz not null default current_setting('truetally.received_at')::timestamptz,
    trust text not null,
    is_bot boolean not null,
    request_id text not null,
    request_partition integer not null,
    request_offset bigint not null,
    content_hash bigint not null,
    correlation_id text not null,
    properties json not null,
    context json not null,
    request_index smallint
  ) partition by range (received_at);

  create table event_partitions (
    starts_at timestamptz primary key,
    ends_at timestamptz not null unique,
    table_name text not null unique,
    has_content boolean not null default true,
    check (ends_at > starts_at)
  );

  create table partition_clock (
    is_only boolean primary key default true check (is_only),
    starts_at timestamptz not null,
    ends_at timestamptz not null
  );
  insert into partition_clock (starts_at, ends_at) values ('-infinity', '-infinity');

  create table partition_filters (
    starts_at timestamptz not null references event_partitions on delete cascade,
    positions integer not null,
    positions_per_key integer not null,
    keys bigint not null,
    bits bytea not null,
    primary key (starts_at, positions, positions_per_key)
  );
  alter table partition_filters alter column bits set storage external;

  create table event_counts (
    site_id uuid not null,
    hour timestamptz not null,
    writer integer not null,
    received bigint not null,
    stored bigint not null,
    deduplicated bigint not null,
    failed bigint not null,
    last_stored_at timestamptz,
    erased bigint not null default 0,
    primary key (site_id, hour, writer)
  ) with (fillfactor = 50);
  create index event_counts_hour on event_counts (hour);

  create table refusal_counts (
    site_id uuid not null,
    hour timestamptz not null,
    writer integer not null,
    kind text not null check (kind in ('item', 'request')),
    code text not null,
    field text not null,
    refused bigint not null,
    last_at timestamptz not null,
    primary key (site_id, hour, writer, kind, code, field)
  ) with (fillfactor = 50);
  create index refusal_counts_hour on refusal_counts (hour);

  create table trail_items (
    site_id uuid not null,
    writer integer not null,
    slot integer not null,
    at timestamptz(3) not null,
    outcome text not null check (outcome in ('duplicate', 'refused')),
    request_id text not null,
    request_index smallint,
    event_id uuid,
    event_type text,
    client_event_id text,
    trust text,
    is_bot boolean,
    code text,
    field text,
    rule text,
    status smallint,
    primary key (site_id, writer, slot),
    check ((outcome = 'duplicate') = (event_id is not null)),
    check ((outcome = 'refused') = (code is not null))
  ) with (fillfactor = 80);

  create table trail_rings (
    site_id uuid not null,
    writer integer not null,
    next_slot integer not null,
    primary key (site_id, writer)
  ) with (fillfactor = 50);

  create table handled_requests (
    correlation_id text primary key,
    handled_at timestamptz not null default now()
  );
  create index handled_requests_handled_at on handled_requests using brin (handled_at)`;

/**
 * A partition is built separately and then attached, which blocks neither storing nor reading. Its unique
 * index has only the event's id, which an index of the whole partitioned table could not. Each time that it has grown by a tenth,
 * Postgres would sort 30,000 values of each column for statistics, of which no plan here asks more than these few.
 */
const PARTITIONS = `
  create function create_partition(starts timestamptz, ends timestamptz) returns void
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    partition_name text := 'events_' || to_char(starts at time zone 'UTC', 'YYYYMMDD"t"HH24MISS');
  begin
    execute format('create table %I (like events)', partition_name);
    execute format('create unique index %I on %I (event_id)', partition_name || '_event_id', partition_name);
    execute format('create index %I on %I using brin (received_at) with (autosummarize = on)',
      partition_name || '_received_at', partition_name);
    execute (select format('alter table %I ', partition_name) || string_agg(format('alter %I set statistics %s', attname,
        case when attname in ('event_id', 'site_id', 'received_at') then 10 else 0 end), ', ')
      from pg_attribute where attrelid = partition_name::regclass and attnum > 0);
    execute format('grant select on %I to {role}', partition_name);
    execute format('alter table events attach partition %I for values from (%L) to (%L)', partition_name, starts, ends);
    insert into event_partitions (starts_at, ends_at, table_name) values (starts, ends, partition_name);
  end $$;

  create function ensure_partitions(length_seconds integer, ahead integer) returns integer
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    moment timestamptz := clock_timestamp();
    last_end timestamptz;
    starts timestamptz;
    ends timestamptz;
    created integer := 0;
  begin
    if length_seconds < 1 or ahead not between 0 and 100 then
      raise exception 'a partition lasts at least a second, and at most 100 are made ahead';
    end if;
    perform pg_advisory_xact_lock(hashtextextended('{schema}.event_partitions', 0));
    select max(ends_at) into last_end from event_partitions;
    starts := greatest(last_end, to_timestamp(floor(extract(epoch from moment) / length_seconds) * length_seconds));
    while starts <= moment + make_interval(secs => length_seconds::double precision * ahead) loop
      ends := to_timestamp((floor(extract(epoch from starts) / length_seconds) + 1) * length_seconds);
      perform create_partition(starts, ends);
      created := created + 1;
      starts := ends;
    end loop;
    return created;
  end $$`;

/**
 * Storing transactions hold the clock's lock shared and store in the partition that the clock names; the
 * clock advances only under the exclusive lock. So a transaction in a partition starts after all transactions
 * in earlier ones have ended, and sees what they stored. The clock never goes back, even when the machine's
 * does. A partition is empty at first, where a full scan looks cheap, and the plan would stay when it has
 * grown. So for the rest of a storing transaction, plans are made once, use the indexes, and start no
 * workers: a look-up over thirty partitions looks large enough for a parallel plan, which takes ten times as
 * long as the look-up. A transaction that has prepared all that it will do needs no answer of `open_store`: it begins
 * with `open_store_as`, which fails if anything is not as it was prepared for.
 */
const CLOCK = `
  create function open_store(out received_at timestamptz, out starts_at timestamptz, out is_open boolean)
  language plpgsql volatile as $$
  declare
    ends_at timestamptz;
  begin
    if current_setting('transaction_isolation') <> 'read committed' then
      raise exception 'storing events must see what others commit meanwhile';
    end if;
    perform set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_generic_plan', true),
      set_config('max_parallel_workers_per_gather', '0', true), set_config('jit', 'off', true);
    perform pg_advisory_xact_lock_shared(hashtextextended('{schema}.partition_clock', 0));
    select clock.starts_at, clock.ends_at into starts_at, ends_at from {schema}.partition_clock clock;
    received_at := greatest(date_trunc('milliseconds', clock_timestamp()), starts_at);
    is_open := received_at < ends_at;
    perform set_config('truetally.received_at', received_at::text, true);
  end $$;

  create function open_store_as(expected_start timestamptz, expected_erasures bigint, expected_people boolean)
  returns timestamptz
  language plpgsql volatile as $$
  declare
    opened record;
  begin
    select * into opened from {schema}.open_store();
    if not opened.is_open or opened.starts_at <> expected_start or {schema}.erasures_seen() <> expected_erasures
      or {schema}.has_erased_people() <> expected_people
    then
      raise exception 'the store is not as it was' using errcode = 'TT001';
    end if;
    return opened.received_at;
  end $$;

  create function advance_clock(length_seconds integer) returns void
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    moment timestamptz;
  begin
    perform ensure_partitions(length_seconds, 0);
    perform pg_advisory_xact_lock(hashtextextended('{schema}.partition_clock', 0));
    moment := clock_timestamp();
    update partition_clock clock
      set starts_at = present.starts_at, ends_at = present.ends_at
      from event_partitions present
      where present.starts_at <= moment and moment < present.ends_at and clock.ends_at <= moment;
  end $$`;

/** A closed partition's keys in order, 16 bytes each, from its unique index only. */
const KEYS = `
  create function partition_keys(starts timestamptz, after uuid, at_most integer) returns bytea
  language plpgsql stable security definer set search_path = {schema}, pg_temp as $$
  declare
    partition_name text;
    keys bytea;
  begin
    select table_name into strict partition_name from event_partitions where starts_at = starts;
    execute format('select string_agg(uuid_send(event_id), ''''::bytea order by event_id)
      from (select event_id from %I where event_id > $1 order by event_id limit $2) page', partition_name)
      into keys using after, at_most;
    return coalesce(keys, ''::bytea);
  end $$`;

/**
 * Events have no index by site (docs/decisions/deduplication.md), so that a partition is scanned block by
 * block, in disk order. Only rows of an erased site are deleted: the service's role cannot delete anything
 * else, and no row can be missed, because nothing of such a site is stored any more.
 */
const ERASURE = `
  create function erase_events(site uuid, starts timestamptz, first_block bigint, blocks integer,
    out erased bigint, out is_last boolean)
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    partition_name text;
    end_block bigint := first_block + blocks;
  begin
    if not exists (select from erased_sites where site_id = site) then
      raise exception 'site % is not marked as erased', site;
    end if;
    select table_name into partition_name from event_partitions where starts_at = starts;
    if partition_name is null then
      erased := 0;
      is_last := true;
      return;
    end if;
    execute format('delete from %I where ctid >= %L and ctid < %L and site_id = $1', partition_name,
      format('(%s,0)', first_block), format('(%s,0)', end_block)) using site;
    get diagnostics erased = row_count;
    is_last := end_block >= pg_relation_size(quote_ident(partition_name)::regclass) / current_setting('block_size')::integer;
  end $$;

  create function erase_counts(site uuid, at_most integer) returns bigint
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    erased bigint;
    refusals bigint;
  begin
    if not exists (select from erased_sites where site_id = site) then
      raise exception 'site % is not marked as erased', site;
    end if;
    delete from event_counts where ctid = any (array(
      select ctid from event_counts where site_id = site limit at_most));
    get diagnostics erased = row_count;
    if erased = at_most then return erased; end if;
    delete from refusal_counts where ctid = any (array(
      select ctid from refusal_counts where site_id = site limit at_most - erased));
    get diagnostics refusals = row_count;
    erased := erased + refusals;
    if erased = at_most then return erased; end if;
    delete from trail_rings where site_id = site;
    delete from trail_items where ctid = any (array(
      select ctid from trail_items where site_id = site limit at_most - erased));
    get diagnostics refusals = row_count;
    return erased + refusals;
  end $$`;

/** The role that faces traffic can read and add events, but neither change nor remove them. */
const GRANTS = `
  revoke execute on function create_partition(timestamptz, timestamptz), ensure_partitions(integer, integer),
    open_store(), open_store_as(timestamptz, bigint, boolean), advance_clock(integer), partition_keys(timestamptz, uuid, integer),
    erase_events(uuid, timestamptz, bigint, integer), erase_counts(uuid, integer)
    from public;
  grant execute on function open_store(), open_store_as(timestamptz, bigint, boolean), ensure_partitions(integer, integer), advance_clock(integer),
    partition_keys(timestamptz, uuid, integer),
    erase_events(uuid, timestamptz, bigint, integer), erase_counts(uuid, integer) to {role};
  grant select, insert on events, partition_filters to {role};
  grant select on event_partitions, partition_clock to {role};
  grant select, insert, update on event_counts, refusal_counts, trail_rings to {role};
  grant select, insert, update, delete on trail_items to {role};
  grant select, insert, delete on handled_requests, inbox to {role}`;
