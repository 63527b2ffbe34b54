import { arrayLiteral, BinaryRows, copyIn } from '@truetally/persistence';
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

/** Mostly a session is new, or was last seen in this quarter or in one before: that is one look-up. */
const NEWEST_QUARTERS = `
  select asked.place::integer as place, newest.quarter
  from unnest($1::uuid[], $2::uuid[]) with ordinality as asked (site_id, session_key, place)
  cross join lateral (select quarter from session_quarters known
    where known.site_id = asked.site_id and known.session_key = asked.session_key
    order by quarter desc limit 1) newest`;
/** Of quarters before the newest one. */
const NEIGHBOURS = `
  select before.quarter as previous, after.quarter as next
  from unnest($1::uuid[], $2::uuid[], $3::integer[]) with ordinality as asked (site_id, session_key, quarter, place)
  left join lateral (select quarter from session_quarters known
    where known.site_id = asked.site_id and known.session_key = asked.session_key and known.quarter <= asked.quarter
    order by quarter desc limit 1) before on true
  left join lateral (select quarter from session_quarters known
    where known.site_id = asked.site_id and known.session_key = asked.session_key and known.quarter > asked.quarter
    order by quarter limit 1) after on true
  order by place`;
const COPY_QUARTERS = 'copy session_quarters (site_id, session_key, quarter) from stdin with (format binary)';

/** Adds the quarters in which sessions are seen. The sites are locked: nobody else adds any. */
export async function addSessions(client: ClientBase, events: readonly EventFact[]): Promise<void> {
  const fresh = await newQuarters(client, seenQuarters(events));
  if (fresh.length === 0) return;
  const rows = new BinaryRows(3);
  for (const { siteId, sessionKey, quarter } of fresh)
    rows.row().uuid(siteId).uuid(sessionKey).integer(quarter);
  await copyIn(client, COPY_QUARTERS, rows.finish());
  const changes = [...Map.groupBy(fresh, ({ siteId }) => siteId)].flatMap(([siteId, quarters]) =>
    spanChanges(quarters).map((change) => ({ ...change, siteId })),
  );
  await changeSpans(client, changes);
}

/** Those that are not known, between the session's nearest ones that are. */
async function newQuarters(
  client: ClientBase,
  seen: readonly SeenQuarter[],
): Promise<readonly (NewQuarter & SeenQuarter)[]> {
  if (seen.length === 0) return [];
  const newest = new Map<number, number>();
  const asked = { name: 'newest-quarters', text: NEWEST_QUARTERS, values: columnsOf(seen).slice(0, 2) };
  const { rows } = await client.query<{ place: number; quarter: number }>(asked);
  for (const { place, quarter } of rows) newest.set(place - 1, quarter);
  const fresh: (NewQuarter & SeenQuarter)[] = [];
  const late: SeenQuarter[] = [];
  for (const [place, one] of seen.entries()) {
    const previous = newest.get(place) ?? null;
    if (previous === null || previous < one.quarter) fresh.push({ ...one, previous, next: null });
    else if (previous > one.quarter) late.push(one);
  }
  return [...fresh, ...(await lateQuarters(client, late))];
}

async function lateQuarters(
  client: ClientBase,
  late: readonly SeenQuarter[],
): Promise<readonly (NewQuarter & SeenQuarter)[]> {
  if (late.length === 0) return [];
  const asked = { name: 'quarters-beside', text: NEIGHBOURS, values: columnsOf(late) };
  const { rows } = await client.query<Pick<NewQuarter, 'next' | 'previous'>>(asked);
  return rows.flatMap((beside, place) => {
    const one = late[place];
    return one === undefined || beside.previous === one.quarter ? [] : [{ ...one, ...beside }];
  });
}

function columnsOf(seen: readonly SeenQuarter[]): string[] {
  return [
    arrayLiteral(seen.map(({ siteId }) => siteId)),
    arrayLiteral(seen.map(({ sessionKey }) => sessionKey)),
    arrayLiteral(seen.map(({ quarter }) => quarter)),
  ];
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
