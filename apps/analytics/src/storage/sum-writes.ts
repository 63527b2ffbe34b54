import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { EventColumns } from '../domain/event-columns.js';
import { quarterOf } from '../domain/quarters.js';

/** What a sum of `session_spans` has as `previous` for sessions that begin. */
export const NONE_BEFORE = -2_147_483_648;

const ADD_SUMS = `
  insert into event_sums as sums (site_id, quarter, event_type, events)
  select * from unnest($1::uuid[], $2::integer[], $3::text[], $4::bigint[])
  on conflict (site_id, quarter, event_type) do update set events = sums.events + excluded.events`;

/** Adds new events to the sums of their quarters. */
export async function addSums(
  client: ClientBase,
  events: EventColumns,
  places: readonly number[],
): Promise<void> {
  if (places.length === 0) return;
  const sums = new Map<string, EventSum>();
  let last: EventSum | undefined;
  for (const place of places) {
    const quarter = quarterOf(events.occurredMicros[place] ?? 0);
    // Mostly the next event is of the same sum, for which no key need be made.
    if (last?.quarter === quarter && isAlike(events, last.place, place)) {
      last.count += 1;
      continue;
    }
    const key = `${events.sites.numberAt(place)} ${quarter} ${events.eventTypes.numberAt(place)}`;
    last = sums.get(key) ?? { place, quarter, count: 0 };
    if (last.count === 0) sums.set(key, last);
    last.count += 1;
  }
  const rows = [...sums.values()];
  const values = [
    arrayLiteral(rows.map(({ place }) => events.sites.at(place))),
    arrayLiteral(rows.map(({ quarter }) => quarter)),
    arrayLiteral(rows.map(({ place }) => events.eventTypes.at(place))),
    arrayLiteral(rows.map(({ count }) => count)),
  ];
  await client.query({ name: 'add-sums', text: ADD_SUMS, values });
}

interface EventSum {
  /** Of its first event. */
  readonly place: number;
  readonly quarter: number;
  count: number;
}

function isAlike({ eventTypes, sites }: EventColumns, one: number, other: number): boolean {
  return (
    eventTypes.numberAt(one) === eventTypes.numberAt(other) && sites.numberAt(one) === sites.numberAt(other)
  );
}

interface SiteSpanChange {
  readonly siteId: string;
  readonly quarter: number;
  readonly previous: number | null;
  readonly sessions: number;
}

const CHANGE_SPANS = `
  insert into session_spans as sums (site_id, quarter, previous, sessions)
  select * from unnest($1::uuid[], $2::integer[], $3::integer[], $4::bigint[])
  on conflict (site_id, quarter, previous) do update set sessions = sums.sessions + excluded.sessions`;

/** Adds to the sums of sessions, whose sites are locked. */
export async function changeSpans(client: ClientBase, changes: readonly SiteSpanChange[]): Promise<void> {
  if (changes.length === 0) return;
  const values = [
    arrayLiteral(changes.map(({ siteId }) => siteId)),
    arrayLiteral(changes.map(({ quarter }) => quarter)),
    arrayLiteral(changes.map(({ previous }) => previous ?? NONE_BEFORE)),
    arrayLiteral(changes.map(({ sessions }) => sessions)),
  ];
  await client.query({ name: 'change-spans', text: CHANGE_SPANS, values });
}
