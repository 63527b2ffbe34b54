import { Injectable } from '@nestjs/common';
import type { AskEvents } from '@truetally/contracts/analytics';
import { EVENT_TYPES, eventIdsOfClient } from '@truetally/contracts/events';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { FieldErrors, Result } from '@truetally/kernel';
import { Asker } from '../ask/ask.js';
import { siteRefusal } from '../credentials/site-access.js';
import { SiteDirectory } from '../credentials/site-directory.js';
import type { Exchange } from '../http/exchange.js';
import { idFilter, oneOfFilter, PAGE_PARAMETERS, textUpTo } from '../http/page-query.js';
import { needed, QueryReader } from '../http/query-reader.js';
import { refuse } from '../http/respond.js';
import { asksForStream, StreamOpener } from './stream-events/stream-opener.js';

export const eventIdText = textUpTo(128);

const HAS_NO_PAGES = 'must not be given with Accept: text/event-stream';

export const EVENTS_QUERY = {
  site_id: needed(idFilter),
  event_type: oneOfFilter(EVENT_TYPES),
  session_id: eventIdText,
  client_event_id: eventIdText,
  request_id: eventIdText,
  ...PAGE_PARAMETERS,
};

/**
 * Stored events, newest first, or as they come (interface page, section 9): of the list analytics knows which, by its indexes, and ingestion has
 * their content, which is stored once.
 */
@Injectable()
export class EventLister {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly asker: Asker,
    private readonly opener: StreamOpener,
  ) {}

  async list(exchange: Exchange): Promise<void> {
    const caller = exchange.callerWithLimit();
    const asked = readEventsQuery(exchange.query);
    if (!asked.ok) return refuse(exchange, 'broken-rules', asked.error);
    const refusal = siteRefusal(caller, asked.value.site_id, this.sites);
    if (refusal !== undefined) return refuse(exchange, refusal);
    if (asksForStream(exchange.request.headers.accept)) return this.stream(exchange, asked.value);
    const places = await this.asker.find(exchange, OPERATIONS.listEvents, asked.value);
    if (places === undefined) return;
    const { site_id } = asked.value;
    await this.asker.answer(exchange, OPERATIONS.readEvents, { site_id, ...places });
  }

  private stream(exchange: Exchange, asked: AskEvents): Promise<void> | void {
    const ofPages = Object.keys(PAGE_PARAMETERS).filter((name) => exchange.query?.has(name) === true);
    if (ofPages.length === 0) return this.opener.open(exchange, asked);
    return refuse(
      exchange,
      'broken-rules',
      Object.fromEntries(ofPages.map((name) => [name, [HAS_NO_PAGES]])),
    );
  }
}

function readEventsQuery(query: URLSearchParams | undefined): Result<AskEvents, FieldErrors> {
  const reader = new QueryReader(query);
  const siteId = reader.required('site_id', EVENTS_QUERY.site_id).toLowerCase();
  const clientEventId = reader.optional('client_event_id', EVENTS_QUERY.client_event_id);
  return reader.result({
    site_id: siteId,
    event_type: reader.optional('event_type', EVENTS_QUERY.event_type) ?? null,
    session_id: reader.optional('session_id', EVENTS_QUERY.session_id) ?? null,
    request_id: reader.optional('request_id', EVENTS_QUERY.request_id) ?? null,
    event_ids: clientEventId === undefined ? null : eventIdsOfClient(siteId, clientEventId),
    ...reader.page(),
  });
}
