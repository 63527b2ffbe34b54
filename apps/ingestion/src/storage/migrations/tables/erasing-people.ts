/** Erased events are none that were lost. They have a writer of their own; hours in order, since erasures of a site may meet. */
const COUNT_ERASED = `
        insert into event_counts as counts (site_id, hour, writer, received, stored, deduplicated, failed, erased)
        select $1, date_trunc(''hour'', received_at, ''UTC''), -1, 0, 0, 0, 0, count(*) from gone group by 2 order by 2
        on conflict (site_id, hour, writer) do update set erased = counts.erased + excluded.erased`;

/**
 * Erases a person's events. Events have no index by person: partitions are read block by block, as for a site. Only
 * events of a marked person are deleted, and those without a person in sessions that were this person's. The sessions
 * are kept in `erased_sessions` until the second pass has ended. See docs/decisions/erasing-people.md.
 */
export const ERASING_PEOPLE_SQL = `
  create table erased_sessions (
    erasure_id uuid not null,
    site_id uuid not null,
    session_id text not null,
    primary key (erasure_id, session_id)
  );

  create function erase_events_of_person(erasure uuid, site uuid, person text, starts timestamptz,
    first_block bigint, blocks integer)
  returns table (erased bigint, subjects text[])
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    partition_name text;
  begin
    if not is_erased_person(site, person) then raise exception 'the person is not marked as erased'; end if;
    select table_name into partition_name from event_partitions where starts_at = starts;
    if partition_name is null then
      return query select 0::bigint, '{}'::text[];
      return;
    end if;
    return query execute format('
      with gone as (
        delete from %I where ctid >= %L and ctid < %L and site_id = $1 and user_id = $2
        returning event_id, session_id, event_type, received_at
      ), counted as (${COUNT_ERASED}
      ), kept as (
        insert into erased_sessions (erasure_id, site_id, session_id)
        select distinct $3, $1, session_id from gone on conflict do nothing
      ), untold as (
        delete from trail_items where site_id = $1 and event_id in (select event_id from gone)
      )
      select (select count(*) from gone), array(
        select ''session:'' || session_id from gone
        union select ''event:'' || event_id from gone where event_type = ''partner_link_click'')',
      partition_name, format('(%s,0)', first_block), format('(%s,0)', first_block + blocks))
      using site, person, erasure;
  end $$;

  create function erase_events_of_sessions(erasure uuid, site uuid, starts timestamptz, first_block bigint, blocks integer)
  returns table (erased bigint, subjects text[])
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    partition_name text;
  begin
    select table_name into partition_name from event_partitions where starts_at = starts;
    if partition_name is null then
      return query select 0::bigint, '{}'::text[];
      return;
    end if;
    return query execute format('
      with gone as (
        delete from %I where ctid >= %L and ctid < %L and site_id = $1 and user_id is null
          and session_id = any (array(
            select session_id from erased_sessions where erasure_id = $2 and site_id = $1))
        returning event_id, event_type, received_at
      ), counted as (${COUNT_ERASED}
      ), untold as (
        delete from trail_items where site_id = $1 and event_id in (select event_id from gone)
      )
      select (select count(*) from gone), array(
        select ''event:'' || event_id from gone where event_type = ''partner_link_click'')',
      partition_name, format('(%s,0)', first_block), format('(%s,0)', first_block + blocks))
      using site, erasure;
  end $$;

  create index inbox_of_job on inbox (split_part(correlation_id, '/', 1));
  revoke execute on function erase_events_of_person(uuid, uuid, text, timestamptz, bigint, integer),
    erase_events_of_sessions(uuid, uuid, timestamptz, bigint, integer) from public;
  grant execute on function erase_events_of_person(uuid, uuid, text, timestamptz, bigint, integer),
    erase_events_of_sessions(uuid, uuid, timestamptz, bigint, integer) to {role};
  grant select, delete on erased_sessions to {role}`;
