import type { ClientBase } from 'pg';
import { FunnelFold } from '../domain/funnel.js';
import { formatMicros } from '../domain/report-window.js';
import { inWindow } from './event-reads.js';
import type { FunnelCounts, FunnelQuestion } from './traffic-reads.js';

/** Sessions of one fetch: some milliseconds of work between two turns of other requests. */
const SESSIONS_PER_FETCH = 1_000;
/** Of an event: its time, in microseconds since 2000, and the place of its type in the list of types. */
const TIME_BYTES = 8;
const EVENT_BYTES = TIME_BYTES + 2;
const MICROS_UNTIL_2000 = 946_684_800_000_000;

/**
 * A row for each session: rows for each event cost ten times as much to send and to read. Events are sorted once, and
 * gathered as they come.
 */
const STEPS = `
  declare steps no scroll cursor for
  select string_agg(timestamptz_send(occurred_at) || int2send(array_position($4::text[], event_type)::smallint), '') as seen,
    case when $6 then array_agg(device) end as devices,
    case when $5 then (select t.provider from touches t where t.site_id = $1 and t.session_key = sorted.session_key
      order by t.occurred_at, t.touch_key limit 1) end as provider
  from (
    select session_key, occurred_at, event_type, device from events
    where site_id = $1 and ${inWindow('$2', '$3')} and event_type = any($4::text[])
    order by session_key, occurred_at, position, event_id
  ) sorted
  group by session_key`;

interface SessionRow {
  readonly seen: Buffer;
  readonly devices: readonly (string | null)[] | null;
  readonly provider: string | null;
}

/** Reads every event of these types in the window, session by session, each session in its order. */
export async function readFunnel(client: ClientBase, question: FunnelQuestion): Promise<FunnelCounts> {
  const { siteId, window, steps, windowMicros, breakdown } = question;
  const fold = new FunnelFold(steps, windowMicros);
  const valueOf = valuesOf(question);
  const types = [...new Set(steps)];
  await client.query(`set local work_mem = '${SORTED_IN_MEMORY}'`);
  await client.query(STEPS, [
    siteId,
    formatMicros(window.from),
    formatMicros(window.to),
    types,
    breakdown === 'provider',
    breakdown === 'device',
  ]);
  let sessions = 0;
  for (;;) {
    const { rows } = await client.query<SessionRow>(`fetch ${SESSIONS_PER_FETCH} from steps`);
    for (const row of rows) {
      const sessionKey = String((sessions += 1));
      for (let place = 0; place * EVENT_BYTES < row.seen.length; place += 1) {
        const from = place * EVENT_BYTES;
        const at = Number(row.seen.readBigInt64BE(from)) + MICROS_UNTIL_2000;
        const eventType = types[row.seen.readInt16BE(from + TIME_BYTES) - 1] ?? '';
        fold.take({ sessionKey, eventType, at, value: valueOf(row, place, at) });
      }
    }
    if (rows.length < SESSIONS_PER_FETCH) return fold.finish();
  }
}

/** Of the sort of a funnel, which one of a site with millions of events writes to the disk without it. */
const SORTED_IN_MEMORY = '64MB';

function valuesOf({
  breakdown,
  days,
}: FunnelQuestion): (row: SessionRow, place: number, at: number) => string | null {
  switch (breakdown) {
    case 'device':
      return ({ devices }, place) => devices?.[place] ?? null;
    case 'provider':
      return ({ provider }) => provider;
    case 'day':
      return (_row, _place, at) => String(lastUntil(days, at));
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
