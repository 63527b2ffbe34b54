import { REPORT_INTERVALS, type ReadReport } from '@truetally/contracts/publisher';
import { textShapeOf } from '@truetally/contracts/validation';
import { type FieldErrors, type Result } from '@truetally/kernel';
import { idFilter, oneOfFilter } from '../../http/page-query.js';
import { needed, parameter, QueryReader } from '../../http/query-reader.js';

const MAX_DATE_CHARACTERS = 40;
/** The service judges it, in the site's time zone. */
const date = parameter({ type: 'string', minLength: 1, maxLength: MAX_DATE_CHARACTERS }, (value) =>
  value.length > MAX_DATE_CHARACTERS || value === ''
    ? `must be a date such as 2026-03-01; got ${textShapeOf(value)}`
    : undefined,
);

export const REPORT_QUERY = {
  site_id: needed(idFilter),
  from: date,
  to: date,
  interval: oneOfFilter(REPORT_INTERVALS),
};

/** The query of a report; the service validates its dates in the site's time zone. */
export function readReportQuery(query: URLSearchParams | undefined): Result<ReadReport, FieldErrors> {
  const reader = new QueryReader(query);
  const siteId = reader.required('site_id', REPORT_QUERY.site_id).toLowerCase();
  const interval = reader.optional('interval', REPORT_QUERY.interval);
  return reader.result({
    site_id: siteId,
    from: reader.optional('from', date) ?? null,
    to: reader.optional('to', date) ?? null,
    interval: REPORT_INTERVALS.find((one) => one === interval) ?? 'day',
  });
}
