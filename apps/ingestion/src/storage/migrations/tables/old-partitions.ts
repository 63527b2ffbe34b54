/**
 * What becomes of old partitions. One that is older than content is kept, and whose keys still decide what is a duplicate, is
 * replaced by a copy without content: properties, context and device, but for clicks, which are published again from here. One
 * that is older than both is dropped, an hour later: replicas that have not read the list of partitions since look keys up in it.
 * Nobody can drop one of the guaranteed thirty days.
 *
 * The copy takes as long as reading the partition; only erasures in it wait meanwhile, so that what they delete is in no copy. For
 * the exchange storing waits for at most two lock timeouts, which are shorter than Postgres looks for deadlocks.
 */
export const OLD_PARTITIONS_SQL = `
  create function empty_partition(retention_days integer, window_days integer) returns text
  language plpgsql security definer set search_path = {schema}, pg_temp set lock_timeout = '300ms' as $$
  declare
    moment timestamptz := clock_timestamp();
    old event_partitions;
    copy_name text;
    is_locked boolean := false;
  begin
    if not pg_try_advisory_xact_lock(hashtextextended('{schema}.empty_partition', 0)) then return null; end if;
    select * into old from event_partitions
      where has_content and ends_at < moment - make_interval(days => greatest(retention_days, 1))
        and ends_at >= moment - make_interval(days => greatest(window_days, 30))
        and ends_at <= (select starts_at from partition_clock)
      order by starts_at limit 1;
    if not found then return null; end if;
    copy_name := old.table_name || '_copy';
    execute format('lock table %I in share mode', old.table_name);
    execute format('create table %I (like events)', copy_name);
    execute format('
      insert into %I select event_id, site_id, event_type, session_id, user_id, null, client_event_id, occurred_at, received_at,
        trust, is_bot, request_id, request_partition, request_offset, content_hash, correlation_id,
        case event_type when ''partner_link_click'' then properties else ''{}'' end,
        case event_type when ''partner_link_click'' then context else ''{}'' end, request_index
      from %I', copy_name, old.table_name);
    execute format('create unique index on %I (event_id)', copy_name);
    execute format('create index on %I using brin (received_at) with (autosummarize = on)', copy_name);
    execute format('alter table %I add constraint within check (received_at >= %L and received_at < %L)',
      copy_name, old.starts_at, old.ends_at);
    execute format('grant select on %I to {role}', copy_name);
    for attempt in 1..100 loop
      begin
        lock table events in access exclusive mode;
        execute format('lock table %I in access exclusive mode', old.table_name);
        is_locked := true;
      exception when lock_not_available then
        perform pg_sleep(0.5);
      end;
      exit when is_locked;
    end loop;
    if not is_locked then raise exception 'partition % is in use without a pause', old.table_name; end if;
    execute format('drop table %I', old.table_name);
    execute format('alter table %I rename to %I', copy_name, old.table_name);
    execute format('alter index %I rename to %I', copy_name || '_event_id_idx', old.table_name || '_event_id');
    execute format('alter index %I rename to %I', copy_name || '_received_at_idx', old.table_name || '_received_at');
    execute format('alter table events attach partition %I for values from (%L) to (%L)',
      old.table_name, old.starts_at, old.ends_at);
    execute format('alter table %I drop constraint within', old.table_name);
    update event_partitions set has_content = false where starts_at = old.starts_at;
    return old.table_name;
  end $$;

  create function drop_expired_partition(retention_days integer, window_days integer) returns text
  language plpgsql security definer set search_path = {schema}, pg_temp set lock_timeout = '1s' as $$
  declare
    expired event_partitions;
  begin
    if not pg_try_advisory_xact_lock(hashtextextended('{schema}.event_partitions', 0)) then return null; end if;
    select * into expired from event_partitions
      where ends_at < clock_timestamp() - make_interval(days => greatest(retention_days, window_days, 30), hours => 1)
        and ends_at <= (select starts_at from partition_clock)
      order by starts_at limit 1;
    if not found then return null; end if;
    execute format('drop table %I', expired.table_name);
    delete from event_partitions where starts_at = expired.starts_at;
    delete from event_counts where hour < (select min(starts_at) from event_partitions) - interval '1 hour';
    delete from refusal_counts where hour < (select min(starts_at) from event_partitions) - interval '1 hour';
    return expired.table_name;
  end $$;

  revoke execute on function empty_partition(integer, integer), drop_expired_partition(integer, integer) from public;
  grant execute on function empty_partition(integer, integer), drop_expired_partition(integer, integer) to {role}`;
