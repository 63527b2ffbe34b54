import { type AskOrders, ORDER_STATES } from '@truetally/contracts/attribution';
import { PROVIDER, PROVIDER_FORM, textShapeOf } from '@truetally/contracts/validation';
import { Calendar, type FieldErrors, parseInstant, readDay, type Result } from '@truetally/kernel';
import { currencyFilter, oneOfFilter } from '../../http/page-query.js';
import { parameter, QueryReader } from '../../http/query-reader.js';
import { identifierOf } from '../ledger-parameters.js';
import { SITE_PAGE_QUERY } from '../site-query.js';

const STATES = Object.values(ORDER_STATES);
const LEAST_PREFIX_CHARACTERS = 3;
const MAX_DATE_CHARACTERS = 40;
const MICROS_PER_MS = 1_000n;
const MICROSECOND_DIGITS = 3;
const DATE_FORM = 'must be a date such as 2026-03-29, or a date and time with an offset';

const provider = parameter({ type: 'string', pattern: PROVIDER.source }, (value) =>
  PROVIDER.test(value) ? undefined : `must be ${PROVIDER_FORM}`,
);
/** Judged where the site's time zone is known. */
const date = parameter({ type: 'string', minLength: 1, maxLength: MAX_DATE_CHARACTERS }, () => undefined);

/** Filters that each name their own order of the list or part of it: at most one of them. */
const FINDERS = {
  order_id_prefix: identifierOf(LEAST_PREFIX_CHARACTERS),
  touch_id: identifierOf(1),
  provider,
};
const FINDER_NAMES = ['order_id_prefix', 'touch_id', 'provider'] as const;

const FILTERS = {
  state: oneOfFilter(STATES),
  currency: currencyFilter,
  ...FINDERS,
  partner_id: identifierOf(1),
};

/** Parameters of `GET /partner-attribution/orders` (interface page, section 6). */
export const ORDER_LIST_QUERY = { ...SITE_PAGE_QUERY, ...FILTERS, from: date, to: date };

type OrderFilters = Omit<AskOrders, 'cursor' | 'limit' | 'site_id'>;

/** @param timeZone of the site: a date is a day of its calendar */
export function readOrderFilters(
  query: URLSearchParams | undefined,
  timeZone: string,
): Result<OrderFilters, FieldErrors> {
  const reader = new QueryReader(query);
  const optional = (name: keyof typeof FILTERS): string | null =>
    reader.optional(name, FILTERS[name]) ?? null;
  const state = optional('state');
  const filters = {
    order_id_prefix: optional('order_id_prefix'),
    touch_id: optional('touch_id'),
    state: STATES.find((one) => one === state) ?? null,
    currency: optional('currency'),
    ...readPeriod(reader, timeZone),
    provider: optional('provider'),
    partner_id: optional('partner_id'),
  };
  const given = FINDER_NAMES.filter((name) => filters[name] !== null);
  if (given.length > 1) {
    for (const name of given) reader.refuse(name, `only one of ${FINDER_NAMES.join(', ')} may be given`);
  }
  if (filters.partner_id !== null && filters.provider === null) {
    reader.refuse('partner_id', 'needs its provider');
  }
  return reader.result(filters);
}

function readPeriod(reader: QueryReader, timeZone: string): Pick<AskOrders, 'from' | 'to'> {
  const read = (name: 'from' | 'to'): bigint | null => {
    const text = reader.optional(name, date);
    if (text === undefined) return null;
    const micros = text.length > MAX_DATE_CHARACTERS ? undefined : microsOf(text, timeZone);
    if (micros === undefined) reader.refuse(name, `${DATE_FORM}; got ${textShapeOf(text)}`);
    return micros ?? null;
  };
  const from = read('from');
  const to = read('to');
  if (from !== null && to !== null && from >= to) reader.refuse('to', 'must be later than from');
  return { from: from === null ? null : String(from), to: to === null ? null : String(to) };
}

/** Microseconds since 1970, as exact as times are stored. */
function microsOf(text: string, timeZone: string): bigint | undefined {
  const day = readDay(text);
  if (day !== undefined) return BigInt(calendarOf(timeZone).startOf(day)) * MICROS_PER_MS;
  const instant = parseInstant(text);
  if (instant === undefined) return undefined;
  const finer = instant.subMillisecond.slice(0, MICROSECOND_DIGITS).padEnd(MICROSECOND_DIGITS, '0');
  return BigInt(instant.epochMs) * MICROS_PER_MS + BigInt(finer);
}

/** One per time zone in use, of which there are some hundreds: making one costs a millisecond. */
const calendars = new Map<string, Calendar>();

function calendarOf(timeZone: string): Calendar {
  const known = calendars.get(timeZone);
  if (known !== undefined) return known;
  const calendar = new Calendar(timeZone);
  calendars.set(timeZone, calendar);
  return calendar;
}
