import type { EventResource, StoredPlace } from '@truetally/contracts/events';
import type { Pool } from 'pg';

const instant = (column: string): string =>
  `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`;

/** A partition has an index by id, and none by site. The bounds of time leave the partitions that are searched; each event is one look-up in them. */
const READ = `
  select event_id, event_type, session_id, user_id, client_event_id, request_id, trust, is_bot,
    ${instant('occurred_at')}, ${instant('received_at')}, properties, context
  from events
  where event_id = any($1::uuid[]) and site_id = $2 and received_at >= $3 and received_at <= $4
    and received_at > now() - make_interval(days => $5)
  order by events.received_at desc, event_id desc`;

export class EventReads {
  /** @param retentionDays for so many days events have content; older ones are not there */
  constructor(
    private readonly pool: Pool,
    private readonly retentionDays: number,
  ) {}

  /** Newest first. */
  async read(siteId: string, places: readonly StoredPlace[]): Promise<readonly EventResource[]> {
    const times = places.map((place) => place.received_at).toSorted();
    const [first, last] = [times[0], times.at(-1)];
    if (first === undefined || last === undefined) return [];
    const ids = places.map((place) => place.event_id);
    const { rows } = await this.pool.query<EventResource>(READ, [
      ids,
      siteId,
      first,
      last,
      this.retentionDays,
    ]);
    return rows;
  }
}
