import { arrayLiteral } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import type { EventFact } from '../domain/facts.js';
import { quarterOf } from '../domain/quarters.js';
import { type NewQuarter, spanChanges } from '../domain/session-spans.js';

/** What a sum of `session_spans` has as `previous` for sessions that begin. */
export const NONE_BEFORE = -2_147_483_648;

const ADD_SUMS = `
  insert into event_sums as sums (site_id, quarter, event_type, events)
  select * from unnest($1::uuid[], $2::integer[], $3::text[], $4::bigint[])
  on conflict (site_id, quarter, event_type) do update set events = sums.events + excluded.events`;

/** Adds new events to the sums of their quarters. */
export async function addSums(client: ClientBase, events: readonly EventFact[]): Promise<void> {
  if (events.length === 0) return;
  const sums = new Map<string, { event: EventFact; quarter: number; count: number }>();
  for (const event of events) {
    const quarter = quarterOf(event.occurredMicros);
    const key = `${event.siteId} ${quarter} ${event.eventType}`;
    const known = sums.get(key);
    if (known === undefined) sums.set(key, { event, quarter, count: 1 });
    else known.count += 1;
  }
  const rows = [...sums.values()];
  const values = [
    arrayLiteral(rows.map(({ event }) => event.siteId)),
    arrayLiteral(rows.map(({ quarter }) => quarter)),
    arrayLiteral(rows.map(({ event }) => event.eventType)),
    arrayLiteral(rows.map(({ count }) => count)),
  ];
  await client.query({ name: 'add-sums', text: ADD_SUMS, values });
}

interface SeenQuarter {
  readonly siteId: string;
  readonly sessionKey: string;
  readonly quarter: number;
}

/**
 * Adds the quarters that are not known, and tells the session's nearest ones that were: the look-ups see what there was
 * before the statement.
 */
const ADD_QUARTERS = `
  with added as (
    insert into session_quarters (site_id, session_key, quarter)
    select * from unnest($1::uuid[], $2::uuid[], $3::integer[]) on conflict do nothing
    returning site_id, session_key, quarter)
  select seen.site_id as "siteId", seen.session_key as "sessionKey", seen.quarter,
    (select quarter from session_quarters known where known.site_id = seen.site_id
       and known.session_key = seen.session_key and known.quarter < seen.quarter
     order by quarter desc limit 1) as previous,
    (select quarter from session_quarters known where known.site_id = seen.site_id
       and known.session_key = seen.session_key and known.quarter > seen.quarter
     order by quarter limit 1) as next
  from added seen`;

/** Adds the quarters in which sessions are seen. The sites are locked. */
export async function addSessions(client: ClientBase, events: readonly EventFact[]): Promise<void> {
  const seen = seenQuarters(events);
  if (seen.length === 0) return;
  const { rows } = await client.query<NewQuarter & SeenQuarter>({
    name: 'add-quarters',
    text: ADD_QUARTERS,
    values: [
      arrayLiteral(seen.map(({ siteId }) => siteId)),
      arrayLiteral(seen.map(({ sessionKey }) => sessionKey)),
      arrayLiteral(seen.map(({ quarter }) => quarter)),
    ],
  });
  const changes = [...Map.groupBy(rows, ({ siteId }) => siteId)].flatMap(([siteId, quarters]) =>
    spanChanges(quarters).map((change) => ({ ...change, siteId })),
  );
  await changeSpans(client, changes);
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

/** Each once. */
function seenQuarters(events: readonly EventFact[]): readonly SeenQuarter[] {
  const seen = new Map<string, SeenQuarter>();
  for (const { siteId, sessionKey, occurredMicros } of events) {
    const quarter = quarterOf(occurredMicros);
    seen.set(`${siteId} ${sessionKey} ${quarter}`, { siteId, sessionKey, quarter });
  }
  return [...seen.values()];
}
