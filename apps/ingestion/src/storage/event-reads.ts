import type { EventResource, StoredPlace } from '@truetally/contracts/events';
import type { Pool } from 'pg';

const instant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;

/**
 * Content of a page, 1 MiB: 200 events of 64 KiB would not fit a reply, and millions of small objects would hold
 * up whoever reads it. One event is always answered.
 */
const MAX_CONTENT_BYTES = 1_048_576;
/** A partition has an index by id, and none by site. The bounds of time leave the partitions that are searched; each event is one look-up in them. */
const READ = `
  with found as (
    select e.*, sum(octet_length(properties::text) + octet_length(context::text)) over listed as bytes,
      row_number() over listed as place
    from events e
    where event_id = any($1::uuid[]) and site_id = $2 and received_at >= $3 and received_at <= $4
      and received_at > now() - make_interval(days => $5)
    window listed as (order by received_at desc, event_id desc)
  )
  select event_id, event_type, session_id, user_id, client_event_id, request_id, trust, is_bot,
    ${instant('occurred_at')}, ${instant('received_at')}, properties, context,
    (select count(*) from found) > place as "hasMore"
  from found where bytes <= ${MAX_CONTENT_BYTES} or place = 1
  order by place`;

interface Row extends EventResource {
  /** Whether events follow, here or behind the end of the page. */
  readonly hasMore: boolean;
}

interface ReadPage {
  readonly items: readonly EventResource[];
  /** Whether the content of the events behind them was too much for one page. */
  readonly isCut: boolean;
}

export class EventReads {
  /** @param retentionDays for so many days events have content; older ones are not there */
  constructor(
    private readonly pool: Pool,
    private readonly retentionDays: number,
  ) {}

  /** Newest first. */
  async read(siteId: string, places: readonly StoredPlace[]): Promise<ReadPage> {
    const times = places.map((place) => place.received_at).toSorted();
    const [first, last] = [times[0], times.at(-1)];
    if (first === undefined || last === undefined) return { items: [], isCut: false };
    const ids = places.map((place) => place.event_id);
    const { rows } = await this.pool.query<Row>(READ, [ids, siteId, first, last, this.retentionDays]);
    let isCut = false;
    const items = rows.map(({ hasMore, ...event }) => {
      isCut = hasMore;
      return event;
    });
    return { items, isCut };
  }
}
