import { Injectable } from '@nestjs/common';
import type { AskEvents, EventPlaces } from '@truetally/contracts/analytics';
import {
  eventIdsOfClient,
  type FoundItem,
  type FoundTrail,
  type ReadTrail,
  type Trail,
  type TrailError,
  type TrailItem,
} from '@truetally/contracts/events';
import type { EventDeliveries, EventDelivery } from '@truetally/contracts/outbound';
import { OPERATIONS } from '@truetally/contracts/topics';
import { type FieldErrors, formatInstant, type Result } from '@truetally/kernel';
import { Asker } from '../ask/ask.js';
import { siteRefusal } from '../credentials/site-access.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import { REFUSALS } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { idFilter, PAGE_PARAMETERS } from '../http/page-query.js';
import { needed, QueryReader } from '../http/query-reader.js';
import { answer, refuse } from '../http/respond.js';
import { eventIdText } from './event-lister.js';

const OK = 200;
/** A page of a request's events: a batch has at most a hundred. */
const EVENTS_OF_REQUEST = 200;
const NAMES = ['event_id', 'client_event_id', 'request_id'] as const;

export const TRAIL_QUERY = {
  site_id: needed(idFilter),
  event_id: idFilter,
  client_event_id: eventIdText,
  request_id: eventIdText,
  ...PAGE_PARAMETERS,
};

/**
 * Where an event is (interface page, section 9). Ingestion has what became of each item, analytics says which events the reports
 * have, and outbound has the deliveries that they caused.
 */
@Injectable()
export class TrailReader {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly asker: Asker,
  ) {}

  async read(exchange: Exchange): Promise<void> {
    const caller = exchange.callerWithLimit();
    const asked = readTrailQuery(exchange.query);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const refusal = siteRefusal(caller, asked.value.site_id, this.sites);
    if (refusal !== undefined) return refuse(exchange, refusal);
    const named = await this.withEventsOfRequest(exchange, asked.value);
    if (named === undefined) return;
    const found = await this.asker.find(exchange, OPERATIONS.readTrail, named);
    if (found === undefined) return;
    const { site_id } = named;
    const event_ids = storedIds(found);
    const [reported, caused] = await Promise.all([
      this.listEvents(exchange, { site_id, event_ids, request_id: null, ...storedBetween(found) }),
      event_ids.length === 0
        ? { deliveries: [] }
        : this.asker.find(exchange, OPERATIONS.listEventDeliveries, { site_id, event_ids }),
    ]);
    if (reported === undefined || caused === undefined) return;
    answer(exchange, OK, JSON.stringify(present(found, reported, caused)));
  }

  /** Analytics finds events by their request; ingestion knows those of the last minutes itself. */
  private async withEventsOfRequest(exchange: Exchange, asked: ReadTrail): Promise<ReadTrail | undefined> {
    const { site_id, request_id } = asked;
    if (request_id === null) return asked;
    const places = await this.listEvents(exchange, { site_id, event_ids: null, request_id });
    return places && { ...asked, event_ids: places.events.map(({ event_id }) => event_id) };
  }

  private async listEvents(
    exchange: Exchange,
    asked: Pick<AskEvents, 'event_ids' | 'received_from' | 'received_to' | 'request_id' | 'site_id'>,
  ): Promise<EventPlaces | undefined> {
    if (asked.event_ids?.length === 0) return { events: [], next_cursor: null };
    const any = { event_type: null, session_id: null, cursor: null, limit: EVENTS_OF_REQUEST };
    return this.asker.find(exchange, OPERATIONS.listEvents, { ...any, ...asked });
  }
}

function readTrailQuery(query: URLSearchParams | undefined): Result<ReadTrail, FieldErrors> {
  const reader = new QueryReader(query);
  const site_id = reader.required('site_id', TRAIL_QUERY.site_id).toLowerCase();
  const eventId = reader.optional('event_id', TRAIL_QUERY.event_id)?.toLowerCase();
  const clientEventId = reader.optional('client_event_id', TRAIL_QUERY.client_event_id);
  const requestId = reader.optional('request_id', TRAIL_QUERY.request_id);
  const given = NAMES.filter((name) => query?.has(name) === true);
  if (given.length !== 1) {
    for (const name of given.length === 0 ? NAMES : given) {
      reader.refuse(name, `exactly one of ${NAMES.join(', ')} must be given`);
    }
  }
  const ids = eventId === undefined ? [] : [eventId];
  return reader.result({
    site_id,
    event_ids: clientEventId === undefined ? ids : eventIdsOfClient(site_id, clientEventId),
    client_event_id: clientEventId ?? null,
    request_id: requestId ?? null,
    ...reader.page(),
  });
}

function storedIds({ items }: FoundTrail): readonly string[] {
  return items.flatMap(({ outcome, event_id: id }) => (outcome === 'stored' && id !== null ? [id] : []));
}

/** Analytics has times of storage in whole milliseconds. */
const ROUNDING_MS = 1;

/** When they were stored, so that analytics does not look at the site's events of all times. */
function storedBetween({ items }: FoundTrail): Pick<AskEvents, 'received_from' | 'received_to'> {
  const times = items.flatMap(({ outcome, received_at: at }) =>
    outcome === 'stored' ? [Date.parse(at)] : [],
  );
  if (times.length === 0) return {};
  return {
    received_from: formatInstant(Math.min(...times) - ROUNDING_MS),
    received_to: formatInstant(Math.max(...times) + ROUNDING_MS),
  };
}

function present(
  { items, next_cursor, searched }: FoundTrail,
  { events }: EventPlaces,
  { deliveries }: EventDeliveries,
): Trail {
  const counted = new Set(events.map(({ event_id }) => event_id));
  return { items: items.map((item) => presentItem(item, counted, deliveries)), next_cursor, searched };
}

function presentItem(
  { reason, ...entry }: FoundItem,
  counted: ReadonlySet<string>,
  deliveries: readonly EventDelivery[],
): TrailItem {
  const { outcome, event_id: id, is_bot: isBot } = entry;
  const isStored = outcome === 'stored' && id !== null;
  return {
    ...entry,
    error: reason === null ? null : errorOf(reason),
    report: !isStored ? null : isBot === true ? 'bot' : counted.has(id) ? 'counted' : 'pending',
    deliveries: isStored
      ? deliveries.flatMap(({ event_id, ...delivery }) => (event_id === id ? [delivery] : []))
      : [],
  };
}

function errorOf({ code, field, rule, status }: NonNullable<FoundItem['reason']>): TrailError {
  if (status !== null) {
    const message = `The request was refused with status ${status}, and none of its events was read.`;
    return { code, message, details: {} };
  }
  const { message } = code === 'FORBIDDEN' ? REFUSALS['person-erased'] : REFUSALS['broken-rules'];
  return { code, message, details: field === null ? {} : { [field]: rule === null ? [] : [rule] } };
}
