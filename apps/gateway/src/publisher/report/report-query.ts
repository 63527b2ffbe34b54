import { REPORT_INTERVALS, type ReadReport } from '@truetally/contracts/publisher';
import { type FieldErrors, type Result } from '@truetally/kernel';
import { idFilter, oneOfFilter } from '../../http/page-query.js';
import { QueryReader } from '../../http/query-reader.js';

export const REPORT_QUERY = ['site_id', 'from', 'to', 'interval'] as const;

const MAX_DATE_CHARACTERS = 40;
const date = (value: string): string | undefined =>
  value.length > MAX_DATE_CHARACTERS || value === '' ? 'must be a date such as 2026-03-01' : undefined;

/** The query of a report; the service validates its dates in the site's time zone. */
export function readReportQuery(query: URLSearchParams | undefined): Result<ReadReport, FieldErrors> {
  const reader = new QueryReader(query);
  const siteId = reader.required('site_id', idFilter).toLowerCase();
  const interval = reader.optional('interval', oneOfFilter(REPORT_INTERVALS));
  return reader.result({
    site_id: siteId,
    from: reader.optional('from', date) ?? null,
    to: reader.optional('to', date) ?? null,
    interval: REPORT_INTERVALS.find((one) => one === interval) ?? 'day',
  });
}
