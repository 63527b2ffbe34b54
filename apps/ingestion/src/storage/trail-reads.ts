import { type FoundItem, TRAIL_DAYS, TRAIL_ITEMS, type TrailSearched } from '@truetally/contracts/events';
import type { Position } from '@truetally/kernel';
import type { Pool } from 'pg';

/** Items of a site that have one of these names. */
export interface TrailFilter {
  readonly siteId: string;
  readonly eventIds: readonly string[];
  readonly clientEventId: string | null;
  readonly requestId: string | null;
  readonly after: Position | null;
  readonly limit: number;
}

/** An item with its place in the list. */
export interface PlacedItem {
  readonly item: FoundItem;
  /** Postgres' text in UTC. */
  readonly at: string;
  readonly id: string;
}

const text = (moment: string): string =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * A request's newest events are found by the time of their storage, until those who index events by request have them: so
 * many minutes are read.
 */
const RECENT = '2 minutes';

/** Items of one time are in the order of their places: a list goes down by time and then by this id. */
const placeId = (index: string, unique: string): string =>
  `(lpad(to_hex(1000 - coalesce(${index}, 0)), 8, '0') || substr(md5(${unique}), 9))::uuid`;

/**
 * A site's rings are read whole: they are small, and an index would make each refusal dearer. Stored events have an index by id, so that
 * each id is one look-up in each partition.
 */
const READ = `
  with stored as (
    select event_id, event_type, client_event_id, request_id, request_index, received_at, trust, is_bot
    from events where event_id = any($2::uuid[]) and site_id = $1 and ($4::text is null or request_id = $4)
    union
    select event_id, event_type, client_event_id, request_id, request_index, received_at, trust, is_bot
    from events where $4::text is not null and received_at > now() - interval '${RECENT}' and site_id = $1 and request_id = $4
  ), told as (
    select * from trail_items
    where site_id = $1 and case
      when $4::text is not null then request_id = $4
      else event_id = any($2::uuid[]) or (outcome = 'refused' and client_event_id = $3) end
  ), listed as (
    select received_at as at, ${placeId('request_index', 'event_id::text')} as id, 'stored' as outcome, request_id, request_index,
      event_id, event_type, client_event_id, trust, is_bot, null as code, null as field, null as rule, null::smallint as status
    from stored
    union all
    select at, ${placeId('request_index', `writer || '/' || slot`)}, outcome, request_id, request_index,
      event_id, event_type, client_event_id, trust, is_bot, code, field, rule, status
    from told
  ), page as (
    select * from listed
    where $5::timestamptz is null or (at, id) < ($5::timestamptz, $6::uuid)
    order by at desc, id desc limit $7
  )
  select page.at::text, page.id, json_build_object(
    'outcome', outcome, 'request_id', page.request_id, 'index', request_index, 'received_at', ${text('page.at')},
    'event_id', page.event_id, 'event_type', event_type, 'client_event_id', client_event_id,
    'trust', trust, 'is_bot', is_bot,
    'duplicate_of', case when first.event_id is not null then json_build_object(
      'event_id', first.event_id, 'timestamp', ${text('first.received_at')}, 'request_id', first.request_id) end,
    'reason', case when code is not null then json_build_object(
      'code', code, 'field', field, 'rule', rule, 'status', status) end) as item
  from page left join lateral (
    select event_id, received_at, request_id from events
    where outcome = 'duplicate' and events.event_id = page.event_id and events.site_id = $1 limit 1) first on true
  order by page.at desc, page.id desc`;

/** A ring that is full has forgotten what is older than its oldest row. */
const SEARCHED = `
  select
    (select ${text('min(starts_at)')} from event_partitions) as stored_since,
    ${text(`greatest(now() - interval '${TRAIL_DAYS} days', (
      select max(oldest) from (
        select min(at) as oldest from trail_items where site_id = $1
        group by writer having count(*) >= $2) full_rings))`)} as refused_since`;

export class TrailReads {
  constructor(
    private readonly pool: Pool,
    private readonly ring = TRAIL_ITEMS,
  ) {}

  /** Newest first. */
  async page({
    siteId,
    eventIds,
    clientEventId,
    requestId,
    after,
    limit,
  }: TrailFilter): Promise<readonly PlacedItem[]> {
    const values = [siteId, eventIds, clientEventId, requestId, after?.at ?? null, after?.id ?? null, limit];
    const { rows } = await this.pool.query<PlacedItem>(READ, values);
    return rows;
  }

  async searched(siteId: string): Promise<TrailSearched> {
    const { rows } = await this.pool.query<TrailSearched>(SEARCHED, [siteId, this.ring]);
    const [row] = rows;
    if (row === undefined) throw new Error('The trail does not answer.');
    return row;
  }
}
