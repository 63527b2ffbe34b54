import type { TrustClass } from '@truetally/contracts/credentials';
import { fingerprintHex, formatMinor, uuidFromFingerprintHex } from '@truetally/kernel';
import { TOPICS } from '@truetally/contracts/topics';
import type { ReceivedFact } from '@truetally/messaging';

/** An event as a test tells it; times in minutes since the start of 2026. */
export interface ToldEvent {
  readonly id: string;
  readonly type: string;
  readonly session: string;
  readonly minute: number;
  readonly isBot?: boolean;
  readonly device?: string;
  readonly user?: string;
  readonly order?: string;
  readonly amount?: number;
  readonly currency?: string;
  readonly trust?: TrustClass;
  readonly properties?: object;
  /** Instead of the minute. */
  readonly occurred_at?: string;
  /** Instead of the minute. */
  readonly received_at?: string;
}

/** A partner's touch as a test tells it. */
export interface ToldTouch {
  readonly id: string;
  readonly session: string;
  readonly provider: string;
  readonly minute: number;
}

/** An entry of the ledger as a test tells it; amounts in minor units. */
export interface ToldEntry {
  readonly id: string;
  readonly type: 'purchase' | 'adjustment' | 'cancellation';
  readonly order: string;
  readonly minute: number;
  readonly amount: bigint;
  readonly currency: string;
}

const START_MS = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
let offset = 0;

export function atMinute(minute: number): string {
  return new Date(START_MS + minute * MINUTE_MS).toISOString();
}

/** The same name is the same id within a site. */
export function idOf(siteId: string, name: string): string {
  return uuidFromFingerprintHex(fingerprintHex([siteId, name]));
}

/** The event as `events.stored.v1` tells it. */
export function eventFact(siteId: string, told: ToldEvent): ReceivedFact {
  const properties = {
    ...told.properties,
    ...(told.order === undefined ? {} : { order_id: told.order }),
    ...(told.amount === undefined ? {} : { total_amount: told.amount }),
    ...(told.currency === undefined ? {} : { currency: told.currency }),
  };
  return factOf(TOPICS.eventsStored.name, {
    event_id: idOf(siteId, told.id),
    site_id: siteId,
    event_type: told.type,
    session_id: told.session,
    user_id: told.user ?? null,
    device_id: null,
    client_event_id: null,
    occurred_at: told.occurred_at ?? atMinute(told.minute),
    received_at: told.received_at ?? atMinute(told.minute),
    trust: told.trust ?? 'browser',
    is_bot: told.isBot ?? false,
    request_id: 'request-1',
    properties,
    context: told.device === undefined ? {} : { device_type: told.device },
  });
}

/** The touch as `touches.recorded.v1` tells it, with the fields that are read. */
export function touchFact(siteId: string, told: ToldTouch): ReceivedFact {
  return factOf(TOPICS.touchesRecorded.name, {
    site_id: siteId,
    touch_id: told.id,
    session_id: told.session,
    provider: told.provider,
    partner_id: null,
    occurred_at: atMinute(told.minute),
  });
}

/** The entry as `conversions.recorded.v1` tells it, with the fields that are read. */
export function entryFact(siteId: string, told: ToldEntry): ReceivedFact {
  return factOf(TOPICS.conversionsRecorded.name, {
    record_id: idOf(siteId, told.id),
    site_id: siteId,
    order_id: told.order,
    event_type: told.type,
    currency: told.currency,
    occurred_at: atMinute(told.minute),
    revenue_delta: formatMinor(told.amount, told.currency),
  });
}

function factOf(topic: string, value: object): ReceivedFact {
  offset += 1;
  return {
    topic,
    partition: 0,
    offset: String(offset),
    key: 'key',
    value: JSON.stringify(value),
    headers: {},
    timestampMs: START_MS + offset,
  };
}
