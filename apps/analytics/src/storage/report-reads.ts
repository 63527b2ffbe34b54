import { inSnapshot } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';
import type { SeriesPoint } from '../domain/intervals.js';
import { formatMicros, partsOf, type ReportWindow, type WindowParts } from '../domain/report-window.js';
import { type EventFilter, EventReads, inWindow, type ListedEvent } from './event-reads.js';
import { asOf } from './fact-progress.js';
import { readFunnel } from './funnel-reads.js';
import type { FunnelCounts, FunnelQuestion, Traffic, TrafficReads } from './traffic-reads.js';

/** Reads of one transaction. */
export interface ReadsAtOnce {
  readonly client: ClientBase;
  /** Facts up to then are in the tables. */
  readonly asOf: string;
  readonly traffic: TrafficReads;
}

/** Reads of one instant; what was seen is asked of another store where there is one. */
export class ReportReads {
  /** @param lookFirst notes how far everything was read, which each report names */
  constructor(
    private readonly pool: Pool,
    private readonly elsewhere?: TrafficReads,
    private readonly lookFirst: () => Promise<void> = () => Promise.resolve(),
  ) {}

  async atOnce<T>(work: (reads: ReadsAtOnce) => Promise<T>): Promise<T> {
    const { elsewhere } = this;
    await this.lookFirst();
    return inSnapshot(this.pool, async (client) => {
      if (elsewhere !== undefined) await client.query(WHILE_ANOTHER_ANSWERS);
      return work({
        client,
        asOf: await asOf(client, elsewhere !== undefined),
        traffic: elsewhere ?? new PostgresTraffic(client),
      });
    });
  }
}

/** Longer than another store is waited for (`STATEMENT_TIMEOUT_MS`): the transaction says nothing meanwhile, and has no locks. */
const WHILE_ANOTHER_ANSWERS = `set local idle_in_transaction_session_timeout = '40s'`;

const SUMS = `select event_type as "eventType", sum(events)::float8 as events from event_sums
  where site_id = $1 and quarter >= $2 and quarter < $3 group by event_type`;
const EDGE = `from events where site_id = $1 and ${inWindow('$2', '$3')}`;
const EDGE_SUMS = `select event_type as "eventType", count(*)::float8 as events ${EDGE} group by event_type`;

/** A session's first quarter of the window is the one whose quarter before it is not of the window. */
const SESSIONS = `select coalesce(sum(sessions), 0)::float8 as sessions from session_spans
  where site_id = $1 and quarter >= $2 and quarter < $3 and previous < $2`;
const EDGE_SESSIONS = `
  select count(distinct session_key)::float8 as sessions from (
    select session_key from events where site_id = $1 and ${inWindow('$2', '$3')}
    union all
    select session_key from events where site_id = $1 and ${inWindow('$4', '$5')}) seen
  where not exists (select from session_quarters known where known.site_id = $1
      and known.session_key = seen.session_key and known.quarter >= $6 and known.quarter < $7 and known.is_counted)`;

const SERIES_SUMS = `
  select width_bucket(quarter, $2::integer[]) as place, event_type as "eventType", sum(events)::float8 as events
  from event_sums where site_id = $1 and quarter >= $3 and quarter < $4 group by 1, 2`;
const SERIES_SESSIONS = `
  select width_bucket(quarter, $2::integer[]) as place, sum(sessions)::float8 as sessions
  from session_spans
  where site_id = $1 and quarter >= $3 and quarter < $4
    and previous < ($2::integer[])[width_bucket(quarter, $2::integer[])]
  group by 1`;

const SEEN = `select count(*)::float8 as sessions from unnest($2::uuid[]) as asked (session_key)
  where exists (select from session_quarters known where known.site_id = $1 and known.session_key = asked.session_key)`;

interface TypeRow {
  readonly eventType: string;
  readonly events: number;
}

/** What was seen, by sums of quarters of an hour. */
export class PostgresTraffic implements TrafficReads {
  constructor(private readonly client: ClientBase) {}

  async traffic(siteId: string, window: ReportWindow): Promise<Traffic> {
    const parts = partsOf(window);
    const byType = new Map<string, number>();
    const add = ({ eventType, events }: TypeRow): void => {
      byType.set(eventType, (byType.get(eventType) ?? 0) + events);
    };
    const { rows } = await this.client.query<TypeRow>(SUMS, [siteId, parts.first, parts.end]);
    rows.forEach(add);
    for (const { from, to } of parts.edges) {
      const values = [siteId, formatMicros(from), formatMicros(to)];
      (await this.client.query<TypeRow>(EDGE_SUMS, values)).rows.forEach(add);
    }
    return { byType, sessions: await this.sessions(siteId, parts) };
  }

  /** @param points adjacent ones, in order */
  async series(siteId: string, points: readonly SeriesPoint[]): Promise<readonly Traffic[]> {
    const whole = points.filter((point) => partsOf(point).edges.length === 0);
    const [begin, ...rest] = whole.map((point) => partsOf(point).first);
    const end = whole.map((point) => partsOf(point).end).at(-1);
    const found = new Map<SeriesPoint, Traffic>();
    if (begin !== undefined && end !== undefined) {
      const sums = await this.wholeSeries(siteId, [begin, ...rest], end);
      whole.forEach((point, index) => found.set(point, sums[index] ?? NO_TRAFFIC));
    }
    const series: Traffic[] = [];
    for (const point of points) series.push(found.get(point) ?? (await this.traffic(siteId, point)));
    return series;
  }

  funnel(question: FunnelQuestion): Promise<FunnelCounts> {
    return readFunnel(this.client, question);
  }

  async seenOf(siteId: string, sessionKeys: readonly string[]): Promise<number> {
    const { rows } = await this.client.query<{ sessions: number }>(SEEN, [siteId, sessionKeys]);
    return rows[0]?.sessions ?? 0;
  }

  page(filter: EventFilter): Promise<readonly ListedEvent[]> {
    return new EventReads(this.client).page(filter);
  }

  private async sessions(siteId: string, { first, end, edges }: WindowParts): Promise<number> {
    const { rows } = await this.client.query<{ sessions: number }>(SESSIONS, [siteId, first, end]);
    const whole = rows[0]?.sessions ?? 0;
    const [one, other = one] = edges;
    if (one === undefined || other === undefined) return whole;
    const bounds = [one.from, one.to, other.from, other.to].map(formatMicros);
    const cut = await this.client.query<{ sessions: number }>(EDGE_SESSIONS, [siteId, ...bounds, first, end]);
    return whole + (cut.rows[0]?.sessions ?? 0);
  }

  /** @param starts of intervals without a gap between them, in quarters */
  private async wholeSeries(
    siteId: string,
    starts: readonly number[],
    end: number,
  ): Promise<readonly Traffic[]> {
    const values = [siteId, starts, starts[0], end];
    const sums = await this.client.query<TypeRow & { place: number }>(SERIES_SUMS, values);
    const sessions = await this.client.query<{ place: number; sessions: number }>(SERIES_SESSIONS, values);
    const seen = new Map(sessions.rows.map((row) => [row.place, row.sessions]));
    const types = starts.map(() => new Map<string, number>());
    for (const { place, eventType, events } of sums.rows) types[place - 1]?.set(eventType, events);
    return types.map((byType, index) => ({ byType, sessions: seen.get(index + 1) ?? 0 }));
  }
}

const NO_TRAFFIC: Traffic = { byType: new Map(), sessions: 0 };
