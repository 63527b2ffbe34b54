/**
 * What becomes of old partitions. One whose rows are older than they are kept, and whose keys still decide, gets a table of its
 * keys; an hour later, when every replica looks there, its rows are dropped. A partition that is older than the
 * deduplication window is dropped with its keys, and never one of the guaranteed thirty days, by any role.
 *
 * Making keys takes as long as reading the partition. It has a lock of its own, so that nobody who makes partitions waits for it.
 */
export const KEPT_KEYS_SQL = `
  create function keep_keys(retention_days integer) returns text
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    old event_partitions;
    made_name text;
  begin
    if not pg_try_advisory_xact_lock(hashtextextended('{schema}.kept_keys', 0)) then return null; end if;
    select * into old from event_partitions
      where keys_name is null and ends_at < clock_timestamp() - make_interval(days => greatest(retention_days, 1))
        and ends_at <= (select starts_at from partition_clock)
      order by starts_at limit 1;
    if not found then return null; end if;
    made_name := replace(old.table_name, 'events_', 'event_keys_');
    execute format('create table %I as select event_id, received_at, correlation_id, content_hash from %I order by event_id',
      made_name, old.table_name);
    execute format('create unique index %I on %I (event_id)', made_name || '_event_id', made_name);
    execute format('grant select on %I to {role}', made_name);
    update event_partitions set keys_name = made_name, keys_made_at = clock_timestamp() where starts_at = old.starts_at;
    return made_name;
  end $$;

  create function drop_expired_partition(retention_days integer, window_days integer) returns text
  language plpgsql security definer set search_path = {schema}, pg_temp set lock_timeout = '1s' as $$
  declare
    moment timestamptz := clock_timestamp();
    decides_days integer := greatest(window_days, 30);
    expired event_partitions;
    old_table text;
  begin
    if not pg_try_advisory_xact_lock(hashtextextended('{schema}.event_partitions', 0)) then return null; end if;
    select * into expired from event_partitions
      where ends_at < moment - make_interval(days => greatest(retention_days, decides_days))
        and ends_at <= (select starts_at from partition_clock)
      order by starts_at limit 1;
    if found then
      foreach old_table in array array_remove(array[expired.table_name, expired.keys_name], null) loop
        execute format('drop table %I', old_table);
      end loop;
      delete from event_partitions where starts_at = expired.starts_at;
      delete from event_counts where hour < (select min(starts_at) from event_partitions) - interval '1 hour';
      delete from refusal_counts where hour < (select min(starts_at) from event_partitions) - interval '1 hour';
      return coalesce(expired.table_name, expired.keys_name);
    end if;
    select * into expired from event_partitions
      where table_name is not null and keys_made_at < moment - interval '1 hour'
        and ends_at < moment - make_interval(days => greatest(retention_days, 1))
      order by starts_at limit 1;
    if not found then return null; end if;
    execute format('drop table %I', expired.table_name);
    update event_partitions set table_name = null where starts_at = expired.starts_at;
    return expired.table_name;
  end $$;

  revoke execute on function keep_keys(integer), drop_expired_partition(integer, integer) from public;
  grant execute on function keep_keys(integer), drop_expired_partition(integer, integer) to {role}`;
