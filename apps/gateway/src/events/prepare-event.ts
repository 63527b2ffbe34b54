import type { TrustClass } from '@truetally/contracts/credentials';
import {
  checkProperties,
  type EncodedEvent,
  encodeEventColumns,
  EVENT_LIMITS,
  isEventType,
  storedProperties,
  TrackEvent,
} from '@truetally/contracts/events';
import {
  BODY_PATH,
  compileValidator,
  DROPPED_NAMES,
  isJsonObject,
  toFieldErrors,
  TRUST_NAMES,
  type Violation,
} from '@truetally/contracts/validation';
import {
  fail,
  type FieldErrors,
  fingerprintHex,
  formatInstant,
  formatInstantPrecisely,
  holdsUnstorableNumber,
  type Instant,
  JsonCut,
  type JsonTexts,
  nestsDeeperThan,
  parseInstant,
  type Result,
  STORABLE_DIGITS,
  succeed,
  toStorableJson,
} from '@truetally/kernel';
import { isBotUserAgent } from '../http/bot-user-agent.js';
import { eventIdOf } from './deduplication-key.js';

export interface EventReceipt {
  /** As `readJson` returned it. */
  readonly event: unknown;
  /** What `EVENT_CUT` or `EVENTS_CUT` has cut from its text; they need no check of their values, and are not written again. */
  readonly texts?: JsonTexts | undefined;
  readonly siteId: string;
  readonly trust: TrustClass;
  /** Place in the batch; null for a single event. */
  readonly index: number | null;
  /** Receipt time. */
  readonly nowMs: number;
  /** A fresh UUID, for an event without an identity. */
  readonly randomId: () => string;
}

export interface PreparedEvent extends EncodedEvent {
  readonly eventId: string;
  /** Reference of a click on a partner's link, unencrypted: it must not leave this process in this form. */
  readonly clickReference: string | null;
}

const validate = compileValidator(TrackEvent);
const validateRest = compileValidator(TrackEvent, { except: 'context' });
/** The context that was valid and clean last: mostly it is that of the next event, too. */
let goodContext = '';

const CUT = { members: ['properties', 'context'], nesting: EVENT_LIMITS.nesting };
/** The texts of an event's objects, which are stored as they came. */
export const EVENT_CUT = new JsonCut(CUT);
/** The same of each event of a batch. */
export const EVENTS_CUT = new JsonCut({ ...CUT, list: 'events', repeated: 'context' });

/**
 * Validates one event and prepares it for ingestion (interface page, section 4): every broken rule by field
 * path from the event's own root, or its id and its texts for the wire. Never throws for any JSON.
 */
export function prepareEvent(receipt: EventReceipt): Result<PreparedEvent, FieldErrors> {
  const { event, texts, nowMs } = receipt;
  if (!isJsonObject(event)) return fail(toFieldErrors(validate(event)));
  const properties = writeField(event, 'properties', texts);
  const context = writeField(event, 'context', texts);
  const occurredAt =
    typeof event['occurred_at'] === 'string' ? parseInstant(event['occurred_at']) : undefined;
  const violations = [
    ...(context.text === goodContext ? validateRest : validate)(event),
    ...checkValues('properties', properties),
    ...checkValues('context', context),
    ...checkSizes(event, properties, context),
    ...checkType(event, properties),
    ...checkTime(occurredAt, nowMs),
  ];
  if (violations.length > 0) return fail(toFieldErrors(violations));
  return succeed(encode(receipt, event as unknown as TrackEvent, { properties, context, occurredAt }));
}

type EventObject = Readonly<Record<string, unknown>>;

const EMPTY: ObjectText = { value: {}, text: '{}', isCut: false };

type ObjectField = 'properties' | 'context';

/** An absent value, or one that is refused elsewhere for not being an object, is written as empty. */
function writeField(event: EventObject, name: ObjectField, texts: JsonTexts | undefined): ObjectText {
  const value = event[name];
  if (!isJsonObject(value)) return EMPTY;
  const text = texts?.[name];
  return { value, text: text ?? JSON.stringify(value), isCut: text !== undefined };
}

const NO_VIOLATIONS: readonly Violation[] = [];
const TOO_DEEP = `must not nest deeper than ${EVENT_LIMITS.nesting} levels`;
const NUMBER_TOO_LONG = `must not hold a number of more than ${STORABLE_DIGITS.whole} digits before the decimal point or ${STORABLE_DIGITS.fraction} after it`;

/** Rules over all values in a field, whatever their names. */
function checkValues(path: ObjectField, { value, isCut }: ObjectText): readonly Violation[] {
  if (isCut) return NO_VIOLATIONS;
  const violations: Violation[] = [];
  if (nestsDeeperThan(value, EVENT_LIMITS.nesting)) violations.push({ path, message: TOO_DEEP });
  if (holdsUnstorableNumber(value)) violations.push({ path, message: NUMBER_TOO_LONG });
  return violations;
}

const PROPERTIES_TOO_LARGE = `must be at most ${EVENT_LIMITS.propertiesBytes} bytes as JSON`;
const EVENT_TOO_LARGE = `must be at most ${EVENT_LIMITS.eventBytes} bytes as JSON`;

function checkSizes(event: EventObject, properties: ObjectText, context: ObjectText): readonly Violation[] {
  const violations: Violation[] = [];
  if (exceedsBytes(properties.text, EVENT_LIMITS.propertiesBytes)) {
    violations.push({ path: 'properties', message: PROPERTIES_TOO_LARGE });
  }
  if (isEventTooLarge(event, [properties, context])) {
    violations.push({ path: BODY_PATH, message: EVENT_TOO_LARGE });
  }
  return violations;
}

function checkType(event: EventObject, properties: ObjectText): readonly Violation[] {
  const type = event['event_type'];
  return isEventType(type) ? checkProperties(type, properties.value) : [];
}

const TOO_FAR_AHEAD = 'must not be more than 24 hours ahead of the server';

function checkTime(occurredAt: Instant | undefined, nowMs: number): readonly Violation[] {
  if (occurredAt === undefined || occurredAt.epochMs - nowMs <= EVENT_LIMITS.occurredAheadMs) return [];
  return [{ path: 'occurred_at', message: TOO_FAR_AHEAD }];
}

interface EventParts {
  readonly properties: ObjectText;
  readonly context: ObjectText;
  readonly occurredAt: Instant | undefined;
}

function encode(
  { siteId, trust, index, nowMs, randomId }: EventReceipt,
  event: TrackEvent,
  parts: EventParts,
): PreparedEvent {
  const { event_type, session_id } = event;
  const user_id = event.user_id ?? null;
  const device_id = event.device_id ?? null;
  const client_event_id = event.client_event_id ?? null;
  const context = parts.context.text === goodContext ? parts.context : cleanObject(parts.context);
  if (context === parts.context) goodContext = context.text;
  const sent = cleanObject(parts.properties);
  const pageUrl = String(context.value['page_url']);
  const stored = storedProperties(event_type, sent.value);
  const properties = stored === sent.value ? sent.text : JSON.stringify(stored);
  const identity = {
    siteId,
    trust,
    eventType: event_type,
    sessionId: session_id,
    clientEventId: client_event_id,
    occurredAt: parts.occurredAt,
    pageUrl,
    properties: sent.value,
  };
  const eventId = eventIdOf(identity, randomId);
  const given = parts.occurredAt === undefined ? null : formatInstantPrecisely(parts.occurredAt);
  const content = [
    event_type,
    session_id,
    user_id,
    device_id,
    client_event_id,
    given,
    properties,
    context.text,
  ];
  const columns = encodeEventColumns({
    event_id: eventId,
    event_type,
    session_id,
    user_id,
    device_id,
    client_event_id,
    occurred_at: given ?? formatInstant(nowMs),
    is_bot: isBotUserAgent(String(context.value['user_agent'])),
    content_hash: signed64(fingerprintHex(content)),
  });
  const reference = event_type === 'partner_link_click' ? sent.value['click_reference'] : null;
  const clickReference = typeof reference === 'string' ? reference : null;
  return { eventId, columns, properties, context: context.text, index, clickReference };
}

/** The first 64 bits of a digest in the format of Postgres' `bigint`. */
function signed64(hex: string): string {
  return BigInt.asIntN(64, BigInt(`0x${hex.slice(0, 16)}`)).toString();
}

/** An object of an event with its compact JSON text. */
interface ObjectText {
  readonly value: EventObject;
  readonly text: string;
  /** Whether the text came so: then it nests no deeper than it may, and holds no long number. */
  readonly isCut: boolean;
}

const NOT_STORED: ReadonlySet<string> = new Set([...DROPPED_NAMES, ...TRUST_NAMES]);

/**
 * What `JSON.stringify` writes for U+0000, a lone surrogate or a dropped name. Each has only one spelling,
 * and quotes inside strings are escaped, so nothing is missed; an escaped backslash before `u0000` only costs
 * time.
 */
const MAY_NEED_CLEANING =
  /\\u(?:0000|d[89a-f])|"(?:__proto__|constructor|prototype|trust(?:_class|_level)?)":/;

/** The storable form (interface page, sections 1 and 2): the same object when it is clean. */
function cleanObject(written: ObjectText): ObjectText {
  if (!MAY_NEED_CLEANING.test(written.text)) return written;
  const value = toStorableJson(written.value, NOT_STORED) as EventObject;
  return { value, text: JSON.stringify(value), isCut: false };
}

/** UTF-8 bytes, counted only when the number of UTF-16 units leaves it open. */
function exceedsBytes(text: string, limit: number): boolean {
  return (
    text.length > limit || (text.length * MAX_UTF8_BYTES_PER_UNIT > limit && Buffer.byteLength(text) > limit)
  );
}

const MAX_UTF8_BYTES_PER_UNIT = 3;
/** `\u0001` for one unit. */
const MAX_ESCAPED_LENGTH = 6;
const LONGEST_OTHER_VALUE = 32;

/**
 * Whether the whole event, including unknown fields, exceeds its limit as compact JSON. Serialised only when
 * its parts could be too long together.
 * @param written texts of the fields `properties` and `context`
 */
function isEventTooLarge(event: EventObject, written: readonly ObjectText[]): boolean {
  let length = 0;
  for (const { text } of written) length += text.length;
  for (const name in event) {
    if (name !== 'properties' && name !== 'context')
      length += name.length * MAX_ESCAPED_LENGTH + longest(event[name]);
  }
  return (
    length * MAX_UTF8_BYTES_PER_UNIT > EVENT_LIMITS.eventBytes &&
    exceedsBytes(JSON.stringify(event), EVENT_LIMITS.eventBytes)
  );
}

function longest(value: unknown): number {
  if (typeof value === 'string') return value.length * MAX_ESCAPED_LENGTH;
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : LONGEST_OTHER_VALUE;
}
