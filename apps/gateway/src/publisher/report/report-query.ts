import { REPORT_INTERVALS, type ReadReport } from '@truetally/contracts/publisher';
import { type FieldErrors, type Result } from '@truetally/kernel';
import { dateFilter, idFilter, oneOfFilter } from '../../http/page-query.js';
import { needed, QueryReader } from '../../http/query-reader.js';

export const REPORT_QUERY = {
  site_id: needed(idFilter),
  from: dateFilter,
  to: dateFilter,
  interval: oneOfFilter(REPORT_INTERVALS),
};

/** The query of a report; the service validates its dates in the site's time zone. */
export function readReportQuery(query: URLSearchParams | undefined): Result<ReadReport, FieldErrors> {
  const reader = new QueryReader(query);
  const siteId = reader.required('site_id', REPORT_QUERY.site_id).toLowerCase();
  const interval = reader.optional('interval', REPORT_QUERY.interval);
  return reader.result({
    site_id: siteId,
    from: reader.optional('from', dateFilter) ?? null,
    to: reader.optional('to', dateFilter) ?? null,
    interval: REPORT_INTERVALS.find((one) => one === interval) ?? 'day',
  });
}
