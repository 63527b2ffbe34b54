import {
  type AskFunnel,
  type AskReport,
  type AskRevenueItems,
  type AskTimeseries,
  FUNNEL_BREAKDOWNS,
  FUNNEL_MINUTES,
  FUNNEL_STEPS,
  REVENUE_PARTS,
  SERIES_INTERVALS,
} from '@truetally/contracts/analytics';
import { EVENT_TYPES } from '@truetally/contracts/events';
import type { FieldErrors, Result } from '@truetally/kernel';
import { currencyFilter, dateFilter, idFilter, oneOfFilter, PAGE_PARAMETERS } from '../http/page-query.js';
import { needed, parameter, QueryReader, wholeNumber } from '../http/query-reader.js';

const KNOWN_TYPES: ReadonlySet<string> = new Set(EVENT_TYPES);
const STEPS_PATTERN = `^(?:${EVENT_TYPES.join('|')})(?:,(?:${EVENT_TYPES.join('|')})){${FUNNEL_STEPS.min - 1},${FUNNEL_STEPS.max - 1}}$`;
const steps = parameter({ type: 'string', pattern: STEPS_PATTERN }, (value) => {
  const named = value.split(',');
  const isMany = named.length >= FUNNEL_STEPS.min && named.length <= FUNNEL_STEPS.max;
  return isMany && named.every((one) => KNOWN_TYPES.has(one))
    ? undefined
    : `must be ${FUNNEL_STEPS.min} to ${FUNNEL_STEPS.max} event types, separated by commas`;
});

/** Parameters of every report. */
export const REPORT_QUERY = { site_id: needed(idFilter), from: dateFilter, to: dateFilter };
export const SERIES_QUERY = { ...REPORT_QUERY, interval: oneOfFilter(SERIES_INTERVALS) };
export const FUNNEL_QUERY = {
  ...REPORT_QUERY,
  steps: needed(steps),
  window_minutes: wholeNumber(FUNNEL_MINUTES),
  breakdown: oneOfFilter(FUNNEL_BREAKDOWNS),
};
export const ITEMS_QUERY = {
  ...REPORT_QUERY,
  part: needed(oneOfFilter(REVENUE_PARTS)),
  currency: needed(currencyFilter),
  ...PAGE_PARAMETERS,
};

type Query = URLSearchParams | undefined;

export function readReportQuery(query: Query): Result<AskReport, FieldErrors> {
  const reader = new QueryReader(query);
  return reader.result(reportOf(reader));
}

export function readSeriesQuery(query: Query): Result<AskTimeseries, FieldErrors> {
  const reader = new QueryReader(query);
  const interval = reader.optional('interval', SERIES_QUERY.interval);
  return reader.result({
    ...reportOf(reader),
    interval: SERIES_INTERVALS.find((one) => one === interval) ?? 'day',
  });
}

export function readFunnelQuery(query: Query): Result<AskFunnel, FieldErrors> {
  const reader = new QueryReader(query);
  const breakdown = reader.optional('breakdown', FUNNEL_QUERY.breakdown);
  return reader.result({
    ...reportOf(reader),
    steps: reader.required('steps', FUNNEL_QUERY.steps).split(','),
    window_minutes: Number(
      reader.optional('window_minutes', FUNNEL_QUERY.window_minutes) ?? FUNNEL_MINUTES.usual,
    ),
    breakdown: FUNNEL_BREAKDOWNS.find((one) => one === breakdown) ?? null,
  });
}

export function readItemsQuery(query: Query): Result<AskRevenueItems, FieldErrors> {
  const reader = new QueryReader(query);
  const part = reader.required('part', ITEMS_QUERY.part);
  return reader.result({
    ...reportOf(reader),
    part: REVENUE_PARTS.find((one) => one === part) ?? REVENUE_PARTS[0],
    currency: reader.required('currency', ITEMS_QUERY.currency),
    ...reader.page(),
  });
}

function reportOf(reader: QueryReader): AskReport {
  return {
    site_id: reader.required('site_id', REPORT_QUERY.site_id).toLowerCase(),
    from: reader.optional('from', REPORT_QUERY.from) ?? null,
    to: reader.optional('to', REPORT_QUERY.to) ?? null,
  };
}
