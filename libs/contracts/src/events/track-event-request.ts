import { fail, type Result, succeed } from '@truetally/kernel';
import { TRUST_CLASSES, type TrustClass } from '../credentials/trust.js';
import { encodeRefusals, readRefusals, type Refusals } from './refusals.js';

/** The columns of an event's row, without its two texts. */
export interface EventColumns {
  readonly event_id: string;
  readonly event_type: string;
  readonly session_id: string;
  readonly user_id: string | null;
  readonly device_id: string | null;
  readonly client_event_id: string | null;
  /** ISO 8601 UTC, to the microsecond at most. */
  readonly occurred_at: string;
  readonly is_bot: boolean;
  /** Signed 64-bit integer in decimal, equal for equal content. It counts replays with other content. */
  readonly content_hash: string;
}

/** An event on its way to ingestion, all text: `properties` and `context` are not parsed again. */
export interface EncodedEvent {
  /** Output of `encodeEventColumns`. */
  readonly columns: string;
  /** Text of a JSON object on one line. */
  readonly properties: string;
  /** Text of a JSON object on one line. */
  readonly context: string;
  /** Place in the batch; null for a single event. */
  readonly index: number | null;
}

/** One HTTP request's events, all of one site. */
export interface TrackEventRequest<Event = AcceptedEvent> {
  readonly siteId: string;
  readonly requestId: string;
  readonly trust: TrustClass;
  /** What the gateway refused. Items are counted with the events: received = stored + deduplicated + failed. */
  readonly refusals: Refusals;
  readonly events: readonly Event[];
}

/** A valid event, with `properties` and `context` as the JSON texts that are stored. */
export interface AcceptedEvent extends EventColumns {
  readonly properties: string;
  readonly context: string;
  /** Place in the batch; null for a single event. */
  readonly index: number | null;
}

/** Events of one batch (interface page, section 4). */
export const MAX_EVENTS_PER_REQUEST = 100;

const LINES_PER_EVENT = 3;
/** Instead of a context that is the one of the event before: the events of a page hardly differ in it. */
const SAME_CONTEXT = '';
/** A longer one is written each time: what a message takes in memory stays near its length, by which it is bounded. */
const MAX_SHARED_CHARACTERS = 2_048;

/** The line with the columns of one event. */
export function encodeEventColumns(event: EventColumns): string {
  return JSON.stringify([
    event.event_id,
    event.event_type,
    event.session_id,
    event.user_id,
    event.device_id,
    event.client_event_id,
    event.occurred_at,
    event.is_bot ? 1 : 0,
    event.content_hash,
  ]);
}

/**
 * The message on `ingestion.track-event`: lines separated by a newline, which JSON text never contains raw.
 * The first line is `[site_id, request_id, trust, refusals, places]`; each event has three: columns, `properties`,
 * `context`, which is empty for the one of the event before. The places in the batch are 0 for a single event, 1 where no item between them was refused, else a list.
 */
export function encodeTrackEvent(request: TrackEventRequest<EncodedEvent>): string {
  const { siteId, requestId, trust, refusals } = request;
  let message = JSON.stringify([
    siteId,
    requestId,
    trust,
    encodeRefusals(refusals),
    placesOf(request.events),
  ]);
  let before: string | undefined;
  for (const { columns, properties, context } of request.events) {
    const isShared = context === before && context.length <= MAX_SHARED_CHARACTERS;
    message += `\n${columns}\n${properties}\n${isShared ? SAME_CONTEXT : context}`;
    before = context;
  }
  return message;
}

/** Reads the message; never throws. Does not parse `properties` and `context`. */
export function decodeTrackEvent(message: string): Result<TrackEventRequest, string> {
  const lines = message.split('\n');
  if (lines.length % LINES_PER_EVENT !== 1) return fail('a request has one line and three per event');
  const head = readLine(lines[0]);
  if (head === undefined) return fail('line 1 is not a JSON array');
  const [siteId, requestId, trust, refused, places] = head;
  if (typeof siteId !== 'string' || typeof requestId !== 'string') return fail('line 1 lacks its ids');
  const knownTrust = TRUST_CLASSES.find((known) => known === trust);
  if (knownTrust === undefined) return fail('line 1 lacks a trust class');
  const refusals = readRefusals(refused);
  if (refusals === undefined) return fail('line 1 lacks what was refused');
  const events: AcceptedEvent[] = [];
  for (let index = 1; index < lines.length; index += LINES_PER_EVENT) {
    const place = placeAt(places, events.length);
    if (place === undefined) return fail('line 1 lacks the places of the events');
    const context = lines[index + 2] === SAME_CONTEXT ? events.at(-1)?.context : lines[index + 2];
    const event = readEvent(lines[index], lines[index + 1], context, place);
    if (event === undefined) return fail(`line ${index + 1} does not hold the columns of an event`);
    events.push(event);
  }
  return succeed({ siteId, requestId, trust: knownTrust, refusals, events });
}

function readEvent(
  columns: string | undefined,
  properties: string | undefined,
  context: string | undefined,
  index: number | null,
): AcceptedEvent | undefined {
  const row = readLine(columns);
  if (row === undefined || properties === undefined || context === undefined) return undefined;
  const [event_id, event_type, session_id, user_id, device_id, client_event_id] = row;
  const [occurred_at, is_bot, content_hash] = row.slice(6);
  if (typeof event_id !== 'string' || typeof event_type !== 'string') return undefined;
  if (typeof session_id !== 'string' || typeof occurred_at !== 'string') return undefined;
  if (!isTextOrNull(user_id) || !isTextOrNull(device_id) || !isTextOrNull(client_event_id)) return undefined;
  if ((is_bot !== 0 && is_bot !== 1) || typeof content_hash !== 'string') return undefined;
  return {
    event_id,
    event_type,
    session_id,
    user_id,
    device_id,
    client_event_id,
    occurred_at,
    is_bot: is_bot === 1,
    content_hash,
    properties,
    context,
    index,
  };
}

const SINGLE = 0;
const IN_ORDER = 1;

function placesOf(events: readonly Pick<EncodedEvent, 'index'>[]): unknown {
  if (events.every(({ index }) => index === null)) return SINGLE;
  return events.every(({ index }, place) => index === place) ? IN_ORDER : events.map(({ index }) => index);
}

/** @returns undefined for a list without that place */
function placeAt(places: unknown, event: number): number | null | undefined {
  if (places === SINGLE) return null;
  if (places === IN_ORDER) return event;
  const place: unknown = Array.isArray(places) ? places[event] : undefined;
  if (place === null) return null;
  return typeof place === 'number' && Number.isSafeInteger(place) && place >= 0 ? place : undefined;
}

function readLine(line: string | undefined): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(line ?? '');
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
