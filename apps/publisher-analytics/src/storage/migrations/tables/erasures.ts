/**
 * Clicks and references have no index by site, which would cost every insert: they are deleted in disk order.
 * A settlement may have any number of former states: it goes when none of them is left. Of a person's clicks only the
 * references go: the clicks name no person, no session and no reference, and reports count them. A reference whose first click is theirs
 * goes as a whole, as others who repeated it would tell it; of one whose first click is another's only what they repeated. The same text
 * with another network is another reference. A click without one gets one that is never counted, so that none comes later.
 * See docs/decisions/erasing-people.md.
 */
export const ERASURE_SQL = `
  create function erase_blocks(site uuid, first_block bigint, end_block bigint, out erased bigint)
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    beginning tid := format('(%s,0)', first_block)::tid;
    ending tid := format('(%s,0)', end_block)::tid;
  begin
    delete from click_references where ctid >= beginning and ctid < ending and site_id = site;
    delete from clicks where ctid >= beginning and ctid < ending and site_id = site;
    get diagnostics erased = row_count;
  end $$;

  create function erase_settlements(site uuid, at_most integer, out erased bigint, out is_last boolean)
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    ids uuid[];
    states bigint;
  begin
    select array_agg(page.settlement_id) into ids
      from (select settlement_id from settlements where site_id = site limit at_most) page;
    delete from settlement_states where ctid = any (array(
      select s.ctid from settlement_states s where s.settlement_id = any (ids) limit at_most));
    get diagnostics states = row_count;
    erased := 0;
    is_last := false;
    if states < at_most then
      delete from settlements where settlement_id = any (ids);
      get diagnostics erased = row_count;
      is_last := erased < at_most;
    end if;
  end $$;

  create function begin_reference_erasure(site uuid, events uuid[]) returns bigint
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    erased bigint;
  begin
    perform set_config('truetally.erases_person', 'yes', true);
    select count(*) into erased from click_references
      where event_id = any (events) and site_id = site and sealed is not null;
    insert into reference_renamings (hash, provider, nameless, site_id)
      select own.hash, own.provider, uuid_send(gen_random_uuid()), site
      from (
        select r.hash, c.provider from click_references r join clicks c using (event_id)
          where r.event_id = any (events) and r.site_id = site and r.sealed is not null
        -- Of a reference whose click was never told only settlements say with which networks it was used.
        union
        select r.hash, s.provider from click_references r join settlements s on s.reference_hash = r.hash
          where r.event_id = any (events) and r.site_id = site and r.sealed is not null
            and not exists (select from clicks c where c.event_id = r.event_id)
      ) own left join lateral (
        select o.event_id from click_references o join clicks oc using (event_id)
        where o.hash = own.hash and o.counted_at is not null and oc.provider = own.provider
        order by o.counted_at, o.event_id limit 1) first on true
      where first.event_id is null or first.event_id = any (events) on conflict do nothing;
    -- Of a reference that belongs to others only the repetitions go. One that was not counted must never be.
    update click_references r set key_id = null, sealed = null,
        hash = case when r.counted_at is null then uuid_send(gen_random_uuid()) else r.hash end
      where r.event_id = any (events) and r.site_id = site and r.sealed is not null
        and not exists (select from reference_renamings n join clicks c using (provider)
          where n.hash = r.hash and c.event_id = r.event_id);
    insert into click_references (event_id, site_id, hash)
      select event_id, site_id, uuid_send(gen_random_uuid()) from clicks
      where event_id = any (events) and site_id = site on conflict do nothing;
    perform set_config('truetally.erases_person', '', true);
    return erased;
  end $$;

  create function erase_some_references(site uuid, at_most integer) returns boolean
  language plpgsql security definer set search_path = {schema}, pg_temp as $$
  declare
    known record;
    room integer := at_most;
    changed integer;
    was_full boolean;
    last_at timestamptz;
    last_id uuid;
  begin
    -- Not a setting of the function: only a superuser may create one with a parameter of our own.
    perform set_config('truetally.erases_person', 'yes', true);
    loop
      select hash, provider, nameless, past_at, past_id into known from reference_renamings where site_id = site limit 1;
      exit when not found or room <= 0;
      -- From where the last piece ended, in the order of the index, those that are not counted last: what another network was told
      -- with the same text is read once, too.
      with page as (
        select event_id, at from (
          (select event_id, counted_at as at from click_references
            where hash = known.hash and (counted_at, event_id) > (known.past_at, known.past_id)
            order by counted_at, event_id limit at_most)
          union all
          (select event_id, 'infinity' from click_references
            where hash = known.hash and counted_at is null and (known.past_at < 'infinity' or event_id > known.past_id)
            order by event_id limit at_most)) both_parts
        order by at, event_id limit at_most
      ), renamed as (
        update click_references r set hash = known.nameless, key_id = null, sealed = null
          from page, clicks c
          where r.event_id = page.event_id and c.event_id = r.event_id and c.provider = known.provider
      )
      select count(*), (array_agg(at order by at desc, event_id desc))[1], (array_agg(event_id order by at desc, event_id desc))[1]
        into changed, last_at, last_id from page;
      room := room - changed;
      was_full := changed = at_most;
      if was_full then
        update reference_renamings set past_at = last_at, past_id = last_id
          where hash = known.hash and provider = known.provider;
      end if;
      update settlements set reference_hash = known.nameless where settlement_id = any (array(
        select settlement_id from settlements where reference_hash = known.hash and provider = known.provider limit at_most));
      get diagnostics changed = row_count;
      room := room - changed;
      was_full := was_full or changed = at_most;
      update settlement_states set reference_hash = known.nameless where ctid = any (array(
        select state.ctid from settlement_states state join settlements s using (settlement_id)
        where state.reference_hash = known.hash and s.provider = known.provider limit at_most));
      get diagnostics changed = row_count;
      room := room - changed - 1;
      if not was_full and changed < at_most then
        delete from reference_renamings where hash = known.hash and provider = known.provider;
      end if;
    end loop;
    perform set_config('truetally.erases_person', '', true);
    return exists (select from reference_renamings where site_id = site);
  end $$`;
