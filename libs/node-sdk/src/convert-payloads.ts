import { membersOf, type Members } from './transport.js';
import type { Event } from './types.js';

/** What a payload of another product does not name, and an event needs. */
export interface EventDefaults {
  /** Where the payload has no session: a visitor's id is a poor one, but a stable one. */
  readonly session_id?: string;
  readonly page_url?: string;
  readonly user_agent?: string;
}

/** A call, or an event of a call, that is no event here. */
export interface SkippedCall {
  readonly name: string;
  readonly reason: string;
}

export interface ConvertedEvents {
  readonly events: readonly Event[];
  readonly skipped: readonly SkippedCall[];
}

/** An event of another product by its name: ours, and how its members are called here. */
interface Mapping {
  readonly type: string;
  readonly members: Readonly<Record<string, readonly string[]>>;
  /** One event for each entry of the list of products. */
  readonly isPerProduct?: boolean;
}

const PRODUCT = { product_id: ['product_id', 'sku', 'item_id'] };
const ORDER = { order_id: ['order_id', 'transaction_id'], total_amount: ['total', 'revenue', 'value'] };

/** Segment's e-commerce names, which RudderStack shares. */
const SEGMENT: Readonly<Record<string, Mapping>> = {
  'product viewed': { type: 'product_view', members: PRODUCT },
  'product added': { type: 'add_to_cart', members: PRODUCT },
  'product removed': { type: 'remove_from_cart', members: PRODUCT },
  'order completed': { type: 'purchase', members: ORDER },
  'products searched': { type: 'search', members: { query: ['query'] } },
};
/** Google Analytics 4's recommended names. */
const GA4: Readonly<Record<string, Mapping>> = {
  page_view: { type: 'page_view', members: {} },
  view_item: { type: 'product_view', members: PRODUCT, isPerProduct: true },
  add_to_cart: { type: 'add_to_cart', members: PRODUCT, isPerProduct: true },
  remove_from_cart: { type: 'remove_from_cart', members: PRODUCT, isPerProduct: true },
  purchase: { type: 'purchase', members: ORDER },
  search: { type: 'search', members: { query: ['search_term'] } },
};
const AMOUNTS = new Set(['total_amount']);
const SESSION_CHARACTERS = 128;
const MICROSECONDS_PER_MS = 1000;
/** The end of the year 9999, the last that RFC 3339 can write. */
const LATEST_MS = 253_402_300_799_999;
const UNKNOWN_AGENT = 'unknown';

/**
 * A call of Segment or RudderStack (`track`, `page`, `screen`) as an event. Other names become `custom` with their
 * name; `identify`, `group` and `alias` have no counterpart and are skipped. Its message id is kept, so that a repeated
 * call is recognised.
 */
export function convertSegmentCall(call: object, defaults: EventDefaults = {}): ConvertedEvents {
  const {
    type,
    event,
    name,
    properties,
    context,
    userId,
    anonymousId,
    messageId,
    timestamp,
    originalTimestamp,
  } = call as Members;
  const kind = textOf(type) ?? '';
  if (!['track', 'page', 'screen'].includes(kind)) {
    return skip(kind, 'only track, page and screen calls are events');
  }
  const { page, userAgent, sessionId } = membersOf(context);
  const page_ = membersOf(page);
  const own = membersOf(properties);
  const label = kind === 'track' ? (textOf(event) ?? '') : kind;
  const mapping =
    kind === 'track' ? mappingOf(SEGMENT, label.toLowerCase()) : { type: 'page_view', members: {} };
  const base = {
    session_id:
      sessionOf(sessionId, anonymousId ?? userId) ??
      defaults.session_id ??
      textOf(anonymousId) ??
      textOf(userId),
    user_id: textOf(userId),
    device_id: textOf(anonymousId),
    client_event_id: textOf(messageId),
    // The visitor's clock, put right by the platform, which had the time of sending; the other one may be days ahead.
    occurred_at: textOf(timestamp) ?? textOf(originalTimestamp),
    page_url: textOf(page_['url']) ?? textOf(own['url']) ?? defaults.page_url,
    referrer: textOf(page_['referrer']),
    page_title: textOf(page_['title']) ?? (kind === 'page' ? textOf(name) : undefined),
    user_agent: textOf(userAgent) ?? defaults.user_agent ?? UNKNOWN_AGENT,
  };
  return convert(label, mapping, own, base);
}

/**
 * A body of Google Analytics 4's Measurement Protocol as events. An event of several products becomes one for each;
 * names without a counterpart become `custom`.
 */
export function convertGa4Payload(payload: object, defaults: EventDefaults = {}): ConvertedEvents {
  const { client_id, user_id, timestamp_micros, events } = payload as Members;
  const converted = (Array.isArray(events) ? events.map(membersOf) : []).map((one) => {
    const params = membersOf(one['params']);
    const micros = Number(one['timestamp_micros'] ?? timestamp_micros);
    const base = {
      session_id: sessionOf(params['ga_session_id'], client_id) ?? defaults.session_id ?? textOf(client_id),
      user_id: textOf(user_id),
      device_id: textOf(client_id),
      client_event_id: undefined,
      occurred_at: timeOf(micros / MICROSECONDS_PER_MS),
      page_url: textOf(params['page_location']) ?? defaults.page_url,
      referrer: textOf(params['page_referrer']),
      page_title: textOf(params['page_title']),
      user_agent: textOf(params['user_agent']) ?? defaults.user_agent ?? UNKNOWN_AGENT,
    };
    const name = textOf(one['name']) ?? '';
    return convert(name, mappingOf(GA4, name), params, base);
  });
  return {
    events: converted.flatMap((one) => one.events),
    skipped: converted.flatMap((one) => one.skipped),
  };
}

/** A number is the time at which the session began, and so the same for all visitors of that second. */
function sessionOf(session: unknown, visitor: unknown): string | undefined {
  const id = textOf(session);
  const who = textOf(visitor);
  const isTime = id !== undefined && who !== undefined && /^\d+$/.test(id);
  return isTime ? `${who}.${id}`.slice(-SESSION_CHARACTERS) : id;
}

/** Names are another product's: `constructor` is one like any other. */
function mappingOf(table: Readonly<Record<string, Mapping>>, name: string): Mapping | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** @returns undefined for what is no instant, so that the event has the time of its arrival */
function timeOf(ms: number): string | undefined {
  return ms > 0 && ms <= LATEST_MS ? new Date(ms).toISOString() : undefined;
}

interface Base {
  readonly session_id: string | undefined;
  readonly user_id: string | undefined;
  readonly device_id: string | undefined;
  readonly client_event_id: string | undefined;
  readonly occurred_at: string | undefined;
  readonly page_url: string | undefined;
  readonly referrer: string | undefined;
  readonly page_title: string | undefined;
  readonly user_agent: string;
}

function convert(name: string, mapping: Mapping | undefined, own: Members, base: Base): ConvertedEvents {
  if (name === '') return skip(name, 'it has no name');
  if (base.session_id === undefined) return skip(name, 'no session: give defaults.session_id');
  if (base.page_url === undefined) return skip(name, 'no page address: give defaults.page_url');
  if (mapping === undefined)
    return { events: [eventOf('custom', { ...own, event_name: name }, base, '')], skipped: [] };
  const { items, ...common } = own;
  const isSplit = mapping.isPerProduct === true && Array.isArray(items) && items.length > 0;
  const parts = isSplit ? items.map((item) => ({ ...common, ...membersOf(item) })) : [own];
  const events: Event[] = [];
  const skipped: SkippedCall[] = [];
  for (const [index, part] of parts.entries()) {
    const named = rename(part, mapping.members);
    if (typeof named === 'string') skipped.push({ name, reason: `no ${named}` });
    else events.push(eventOf(mapping.type, named, base, parts.length > 1 ? `:${index}` : ''));
  }
  return { events, skipped };
}

/** @returns the name of what is missing */
function rename(own: Members, members: Mapping['members']): Members | string {
  const named: Record<string, unknown> = { ...own };
  for (const [target, sources] of Object.entries(members)) {
    const typeOf = AMOUNTS.has(target) ? Number : String;
    // The service judges each name that it knows: theirs have the type of ours, and what has no value is absent.
    for (const source of sources) {
      const value = own[source] ?? '';
      const typed = typeOf(value);
      const hasNone = value === '' || (typeof typed === 'number' && !Number.isFinite(typed));
      named[source] = hasNone ? undefined : typed;
    }
    named[target] = sources.map((source) => named[source]).find((value) => value !== undefined);
    if (named[target] === undefined) return target;
  }
  return given(named);
}

function eventOf(type: string, properties: Members, base: Base, suffix: string): Event {
  const { page_url, referrer, page_title, user_agent, client_event_id, ...identity } = base;
  return {
    event_type: type,
    properties,
    ...given(identity),
    ...given({ client_event_id: client_event_id === undefined ? undefined : client_event_id + suffix }),
    context: { page_url, user_agent, ...given({ referrer, page_title }) },
  } as unknown as Event;
}

function given(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function skip(name: string, reason: string): ConvertedEvents {
  return { events: [], skipped: [{ name, reason }] };
}

/** Ids come as numbers, too. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
