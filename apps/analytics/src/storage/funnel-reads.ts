import type { ClientBase } from 'pg';
import { FunnelFold } from '../domain/funnel.js';
import { formatMicros } from '../domain/report-window.js';
import { inWindow } from './event-reads.js';
import type { FunnelCounts, FunnelQuestion } from './traffic-reads.js';

/** Rows of one fetch: some milliseconds of work between two turns of other requests. */
const ROWS_PER_FETCH = 1_000;
/** A session with more is not read at once: a backend may name one session for everything that it sends. */
const EVENTS_AT_ONCE = 1_000;
/** Of an event: its time, in microseconds since 2000, and the place of its type in the list of types. */
const TIME_BYTES = 8;
const EVENT_BYTES = TIME_BYTES + 2;
const MICROS_UNTIL_2000 = 946_684_800_000_000;

const EVENT = `timestamptz_send(occurred_at) || int2send(array_position($4::text[], event_type)::smallint)`;
const ASKED = `site_id = $1 and ${inWindow('$2', '$3')} and event_type = any($4::text[])`;
const IN_ORDER = 'occurred_at, position, event_id';

/**
 * A row for each session: rows for each event cost ten times as much to send and to read. Events are sorted once, and
 * gathered as they come.
 */
const STEPS = `
  declare steps no scroll cursor for
  select string_agg(${EVENT}, '') filter (where place <= $7) as seen,
    case when $6 then array_agg(device) filter (where place <= $7) end as devices,
    case when $5 then (select t.provider from touches t where t.site_id = $1 and t.session_key = sorted.session_key
      order by t.occurred_at, t.touch_key limit 1) end as provider,
    case when max(place) > $7 then session_key end as "longSession"
  from (
    select session_key, occurred_at, event_type, device,
      row_number() over (partition by session_key order by ${IN_ORDER}) as place
    from events where ${ASKED}
    order by session_key, ${IN_ORDER}
  ) sorted
  group by session_key`;
/** A row for each event of long sessions. */
const LONG_STEPS = `
  declare long_steps no scroll cursor for
  select session_key as "sessionKey", ${EVENT} as seen, device from events
  where ${ASKED} and session_key = any($5::uuid[])
  order by session_key, ${IN_ORDER}`;

interface SessionRow {
  readonly seen: Buffer;
  readonly devices: readonly (string | null)[] | null;
  readonly provider: string | null;
  /** Its key, where not all of its events are in the row. */
  readonly longSession: string | null;
}

interface EventRow {
  readonly sessionKey: string;
  readonly seen: Buffer;
  readonly device: string | null;
}

/** Reads every event of these types in the window, session by session, each session in its order. */
export async function readFunnel(
  client: ClientBase,
  question: FunnelQuestion,
  eventsAtOnce = EVENTS_AT_ONCE,
): Promise<FunnelCounts> {
  const { siteId, window, steps, windowMicros, breakdown } = question;
  const fold = new FunnelFold(steps, windowMicros);
  const valueOf = valuesOf(question);
  const types = [...new Set(steps)];
  const asked = [siteId, formatMicros(window.from), formatMicros(window.to), types];
  await client.query(`set local work_mem = '${SORTED_IN_MEMORY}'`);
  await client.query(STEPS, [...asked, breakdown === 'provider', breakdown === 'device', eventsAtOnce]);
  /** Of long sessions. */
  const providers = new Map<string, string | null>();
  let sessions = 0;
  const takeSession = ({ seen, devices, provider }: SessionRow): void => {
    const sessionKey = String((sessions += 1));
    for (let place = 0; place * EVENT_BYTES < seen.length; place += 1) {
      const { at, eventType } = eventIn(seen, place, types);
      const device = devices?.[place] ?? null;
      fold.take({ sessionKey, eventType, at, value: valueOf({ device, provider, at }) });
    }
  };
  for await (const rows of fetched<SessionRow>(client, 'steps')) {
    for (const row of rows) {
      if (row.longSession === null) takeSession(row);
      else providers.set(row.longSession, row.provider);
    }
  }
  if (providers.size === 0) return fold.finish();
  await client.query(LONG_STEPS, [...asked, [...providers.keys()]]);
  for await (const rows of fetched<EventRow>(client, 'long_steps')) {
    for (const { sessionKey, seen, device } of rows) {
      const { at, eventType } = eventIn(seen, 0, types);
      const provider = providers.get(sessionKey) ?? null;
      fold.take({ sessionKey, eventType, at, value: valueOf({ device, provider, at }) });
    }
  }
  return fold.finish();
}

/** The rows of a cursor, some of them at a time. */
async function* fetched<Row extends object>(
  client: ClientBase,
  cursor: string,
): AsyncGenerator<readonly Row[]> {
  for (;;) {
    const { rows } = await client.query<Row>(`fetch ${ROWS_PER_FETCH} from ${cursor}`);
    yield rows;
    if (rows.length < ROWS_PER_FETCH) break;
  }
  await client.query(`close ${cursor}`);
}

function eventIn(seen: Buffer, place: number, types: readonly string[]) {
  const from = place * EVENT_BYTES;
  return {
    at: Number(seen.readBigInt64BE(from)) + MICROS_UNTIL_2000,
    eventType: types[seen.readInt16BE(from + TIME_BYTES) - 1] ?? '',
  };
}

/** Of the sort of a funnel, which one of a site with millions of events writes to the disk without it. */
const SORTED_IN_MEMORY = '64MB';

interface Place {
  readonly device: string | null;
  /** Of the session. */
  readonly provider: string | null;
  readonly at: number;
}

function valuesOf({ breakdown, days }: FunnelQuestion): (place: Place) => string | null {
  switch (breakdown) {
    case 'device':
      return ({ device }) => device;
    case 'provider':
      return ({ provider }) => provider;
    case 'day':
      return ({ at }) => String(lastUntil(days, at));
    case null:
      return () => null;
  }
}

/** The last of ascending numbers that is at most this one. */
function lastUntil(numbers: readonly number[], most: number): number | undefined {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] ?? 0) <= most) low = middle + 1;
    else high = middle;
  }
  return numbers[low - 1];
}
