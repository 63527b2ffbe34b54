import type { RecordedConversionFact, RecordedTouchFact } from '@truetally/contracts/facts';
import { isJsonObject } from '@truetally/contracts/validation';
import { formatInstant, minorDigitsOf, parseDecimal, parseInstant, toMinor } from '@truetally/kernel';
import { type ReceivedFact, UnreadableError } from '@truetally/messaging';
import { writeUuid } from '@truetally/persistence';
import { type EventColumns, KEY_BYTES } from '../domain/event-columns.js';
import type { LedgerEntryFact, ObservedPurchase, TouchFact } from '../domain/facts.js';
import { requestKeyOf, sessionKeyOf, touchKeyOf, writeSessionKey } from '../domain/keys.js';
import { MICROS_PER_MS } from '../domain/quarters.js';
import { toldProducts } from '../domain/told-products.js';
import { readStoredEvent, type StoredEvent } from './read-stored-event.js';

const MAX_DEVICE_CHARACTERS = 64;
const MICROSECOND_DIGITS = 3;
const AMOUNTS = ['total_amount', 'total', 'revenue'] as const;
const ORDER_IDS = ['order_id', 'transaction_id'] as const;

/**
 * Reads a fact of `events.stored.v1` into columns; not one that was published again when it was forgotten: it is counted.
 * @param keptMs how long events are kept
 * @returns the order that it tells of
 * @throws UnreadableError when its times cannot be read
 */
export function readEvent(
  value: string,
  { offset, timestampMs }: Pick<ReceivedFact, 'offset' | 'timestampMs'>,
  into: EventColumns,
  keptMs: number,
): ObservedPurchase | undefined {
  const event = readStoredEvent(value);
  const instant = parseInstant(event.occurred_at);
  if (instant === undefined) throw new UnreadableError('events.stored.v1: occurred_at is not a time');
  const received = parseInstant(event.received_at);
  if (received === undefined) throw new UnreadableError('events.stored.v1: received_at is not a time');
  if (timestampMs - received.epochMs > keptMs) return undefined;
  const { subMillisecond } = instant;
  const finer =
    subMillisecond === ''
      ? 0
      : Number(subMillisecond.slice(0, MICROSECOND_DIGITS).padEnd(MICROSECOND_DIGITS, '0'));
  const { site_id: siteId, event_type: eventType, context } = event;
  const device = isJsonObject(context) ? context['device_type'] : undefined;
  const place = into.length;
  const at = place * KEY_BYTES;
  writeUuid(into.eventIds, at, event.event_id);
  writeSessionKey(into.sessionKeys, at, siteId, event.session_id);
  writeUuid(into.requestKeys, at, requestKeyOf(siteId, event.request_id));
  into.add({
    siteId,
    eventType,
    device: typeof device === 'string' ? device.slice(0, MAX_DEVICE_CHARACTERS) : null,
    isBot: event.is_bot,
    occurredMicros: instant.epochMs * MICROS_PER_MS + finer,
    receivedMicros: received.epochMs * MICROS_PER_MS,
    position: Number(offset),
    products: toldProducts(eventType, event.properties),
  });
  return eventType === 'purchase' ? purchaseOf(event, place, received.epochMs) : undefined;
}

function purchaseOf(event: StoredEvent, place: number, receivedMs: number): ObservedPurchase | undefined {
  const told = readPurchase(event.properties);
  if (told === undefined) return undefined;
  return {
    place,
    eventId: event.event_id,
    siteId: event.site_id,
    occurredAt: event.occurred_at,
    receivedAt: formatInstant(receivedMs),
    isFromServer: event.trust === 'server',
    ...told,
  };
}

/** Undefined without an amount, which no stored purchase is. */
export function readPurchase(
  properties: unknown,
): Pick<ObservedPurchase, 'amount' | 'currency' | 'orderId'> | undefined {
  if (!isJsonObject(properties)) return undefined;
  const amount = AMOUNTS.map((name) => properties[name]).find((value) => typeof value === 'number');
  if (amount === undefined) return undefined;
  const orderId = ORDER_IDS.map((name) => properties[name]).find(
    (value): value is string => typeof value === 'string' && value !== '',
  );
  const currency = properties['currency'];
  const isKnown = typeof currency === 'string' && minorDigitsOf(currency) !== undefined;
  return { orderId: orderId ?? null, currency: isKnown ? currency : undefined, amount };
}

/**
 * Reads a fact of `conversions.recorded.v1`; undefined for one that changes the commission alone.
 * @throws UnreadableError when its amount does not fit its currency
 */
export function readEntry(value: string): LedgerEntryFact | undefined {
  // The ledger's format, described in docs/asyncapi.yaml.
  const fact = JSON.parse(value) as RecordedConversionFact;
  if (fact.event_type === 'commission') return undefined;
  const decimal = parseDecimal(fact.revenue_delta);
  const digits = minorDigitsOf(fact.currency);
  const minor = decimal === undefined || digits === undefined ? undefined : toMinor(decimal, digits);
  if (minor === undefined)
    throw new UnreadableError('conversions.recorded.v1: an amount does not fit its currency');
  return {
    recordId: fact.record_id,
    siteId: fact.site_id,
    orderId: fact.order_id,
    eventType: fact.event_type,
    currency: fact.currency,
    occurredAt: fact.occurred_at,
    revenueDelta: minor,
  };
}

/** Reads a fact of `touches.recorded.v1`. */
export function readTouch(value: string): TouchFact {
  // The ledger's format, described in docs/asyncapi.yaml.
  const fact = JSON.parse(value) as RecordedTouchFact;
  const { site_id: siteId, session_id: sessionId } = fact;
  return {
    siteId,
    touchKey: touchKeyOf(siteId, fact.touch_id),
    sessionKey: sessionId === null ? null : sessionKeyOf(siteId, sessionId),
    provider: fact.provider,
    partnerId: fact.partner_id,
    occurredAt: fact.occurred_at,
  };
}
