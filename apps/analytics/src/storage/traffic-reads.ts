import type { FunnelBreakdown } from '@truetally/contracts/analytics';
import type { StepCounts } from '../domain/funnel.js';
import type { SeriesPoint } from '../domain/intervals.js';
import type { ReportWindow } from '../domain/report-window.js';
import type { EventFilter, ListedEvent } from './event-reads.js';

/** What was seen in a window, without bots. */
export interface Traffic {
  readonly byType: ReadonlyMap<string, number>;
  /** Distinct ones. */
  readonly sessions: number;
}

/** A funnel over the events of a window. */
export interface FunnelQuestion {
  readonly siteId: string;
  readonly window: ReportWindow;
  /** 2–8 event types. */
  readonly steps: readonly string[];
  readonly windowMicros: number;
  readonly breakdown: FunnelBreakdown | null;
  /** Where the days of the window begin, in microseconds. */
  readonly days: readonly number[];
}

/**
 * Sessions by step, for each value at which their longest chain began: a device, a network, or the beginning of a day in
 * microseconds.
 */
export type FunnelCounts = ReadonlyMap<string | null, StepCounts>;

/**
 * What questions are asked of stored events. Two stores answer them, with the same figures (`traffic-reads.suite.ts`):
 * Postgres from sums of quarters of an hour, ClickHouse from the events.
 */
export interface TrafficReads {
  traffic(siteId: string, window: ReportWindow): Promise<Traffic>;
  /** @param points adjacent ones, in order */
  series(siteId: string, points: readonly SeriesPoint[]): Promise<readonly Traffic[]>;
  funnel(question: FunnelQuestion): Promise<FunnelCounts>;
  /** How many of these sessions sent an event, bots left out. */
  seenOf(siteId: string, sessionKeys: readonly string[]): Promise<number>;
  /** Newest first, by the time of storage. */
  page(filter: EventFilter): Promise<readonly ListedEvent[]>;
}
