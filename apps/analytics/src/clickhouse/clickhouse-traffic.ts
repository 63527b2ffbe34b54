import type { SeriesPoint } from '../domain/intervals.js';
import type { ReportWindow } from '../domain/report-window.js';
import type { EventFilter, ListedEvent } from '../storage/event-reads.js';
import type { FunnelCounts, FunnelQuestion, Traffic, TrafficReads } from '../storage/traffic-reads.js';
import type { ClickHouse, Parameters } from './clickhouse-client.js';
import { readFunnel } from './clickhouse-funnel.js';
import { AS_MERGED } from './clickhouse-schema.js';

/** Events of a window are told by their own time, to the microsecond: there are no sums, and no edges. */
const INSIDE = `site_id = {site:UUID} and occurred_micros >= {from:Int64} and occurred_micros < {to:Int64} and not is_bot`;
const PLACE = 'roundDown(occurred_micros, {starts:Array(Int64)})';
const SUMS = `select event_type as eventType, count() as events from events final where ${INSIDE}
  group by event_type ${AS_MERGED}`;
/** A set is the same, however often its members are told. */
const SESSIONS = `select uniqExact(session_key) as sessions from events where ${INSIDE}`;
const SERIES_SUMS = `select ${PLACE} as start, event_type as eventType, count() as events from events final
  where ${INSIDE} group by start, event_type ${AS_MERGED}`;
const SERIES_SESSIONS = `select ${PLACE} as start, uniqExact(session_key) as sessions from events
  where ${INSIDE} group by start`;

const SEEN = `select uniqExact(session_key) as sessions from events
  where site_id = {site:UUID} and session_key in {sessions:Array(UUID)} and not is_bot`;

interface TypeRow {
  readonly eventType: string;
  readonly events: number;
}

/** What was seen, by the events themselves. */
export class ClickHouseTraffic implements TrafficReads {
  /** @param listedDays older events are counted, and not listed: their content is kept no longer */
  constructor(
    private readonly clickHouse: ClickHouse,
    private readonly listedDays: number,
  ) {}

  async traffic(siteId: string, { from, to }: ReportWindow): Promise<Traffic> {
    const asked = { site: siteId, from, to };
    const [sums, sessions] = await Promise.all([
      this.clickHouse.rows<TypeRow>(SUMS, asked),
      this.clickHouse.rows<{ sessions: number }>(SESSIONS, asked),
    ]);
    const byType = new Map(sums.map(({ eventType, events }) => [eventType, events]));
    return { byType, sessions: sessions[0]?.sessions ?? 0 };
  }

  async series(siteId: string, points: readonly SeriesPoint[]): Promise<readonly Traffic[]> {
    const starts = points.map(({ from }) => from);
    const [from, to] = [starts[0], points.at(-1)?.to];
    if (from === undefined || to === undefined) return [];
    const asked = { site: siteId, from, to, starts };
    const [sums, sessions] = await Promise.all([
      this.clickHouse.rows<TypeRow & { start: number }>(SERIES_SUMS, asked),
      this.clickHouse.rows<{ start: number; sessions: number }>(SERIES_SESSIONS, asked),
    ]);
    const seen = new Map(sessions.map((row) => [row.start, row.sessions]));
    const types = new Map(starts.map((start) => [start, new Map<string, number>()]));
    for (const { start, eventType, events } of sums) types.get(start)?.set(eventType, events);
    return starts.map((start) => ({
      byType: types.get(start) ?? new Map(),
      sessions: seen.get(start) ?? 0,
    }));
  }

  funnel(question: FunnelQuestion): Promise<FunnelCounts> {
    return readFunnel(this.clickHouse, question);
  }

  async seenOf(siteId: string, sessionKeys: readonly string[]): Promise<number> {
    if (sessionKeys.length === 0) return 0;
    const asked = { site: siteId, sessions: sessionKeys };
    const rows = await this.clickHouse.rows<{ sessions: number }>(SEEN, asked);
    return rows[0]?.sessions ?? 0;
  }

  /**
   * Newest first, by the time of storage: rows in the table's own order, of which the first few are read. A repetition is
   * next to its row.
   */
  async page(filter: EventFilter): Promise<readonly ListedEvent[]> {
    const found: ListedEvent[] = [];
    let { after } = filter;
    // Terminates: each turn begins behind the last row of the one before.
    for (;;) {
      const rows = await this.rowsOf({ ...filter, after });
      for (const row of rows) if (found.at(-1)?.eventId !== row.eventId) found.push(row);
      const last = rows.at(-1);
      if (last === undefined || rows.length < filter.limit || found.length >= filter.limit) {
        return found.slice(0, filter.limit);
      }
      after = { at: last.at, id: last.eventId };
    }
  }

  private rowsOf({ siteId, after, limit, ...filter }: EventFilter): Promise<readonly ListedEvent[]> {
    const asked: readonly Condition[] = [
      ['site_id = {site:UUID}', { site: siteId, limit }],
      ['received_at >= now() - toIntervalDay({days:UInt16})', { days: this.listedDays }],
      ...when(filter.eventType, (type) => ['event_type = {type:String}', { type }]),
      ...when(filter.sessionKey, (session) => ['session_key = {session:UUID}', { session }]),
      ...when(filter.requestKey, (asking) => ['request_key = {asking:UUID}', { asking }]),
      ...when(filter.eventIds, (ids) => ['event_id in {ids:Array(UUID)}', { ids }]),
      ...when(after, ({ at, id }) => [BEHIND, { at, id }]),
    ];
    return this.clickHouse.rows<ListedEvent>(
      `${LISTED} where ${asked.map(([condition]) => condition).join(' and ')} ${IN_ORDER}`,
      Object.assign({}, ...asked.map(([, values]) => values)) as Parameters,
    );
  }
}

const LISTED = `
  select toString(event_id) as eventId, formatDateTime(received_at, '%Y-%m-%dT%H:%i:%S.', 'UTC')
    || leftPad(toString(toUnixTimestamp64Milli(received_at) % 1000), 3, '0') || 'Z' as receivedAt, receivedAt as at
  from events`;
/** All columns of the table's order: so that it is read from its end, and only as far as the limit. */
const IN_ORDER = 'order by site_id desc, received_at desc, event_id desc limit {limit:UInt32}';
const BEHIND = `(received_at, event_id) < (parseDateTime64BestEffortOrZero({at:String}, 3, 'UTC'), {id:UUID})
  and received_at <= parseDateTime64BestEffortOrZero({at:String}, 3, 'UTC')`;

type Condition = readonly [condition: string, values: Parameters];

function when<T>(value: T | null, condition: (value: T) => Condition): readonly Condition[] {
  return value === null ? [] : [condition(value)];
}
