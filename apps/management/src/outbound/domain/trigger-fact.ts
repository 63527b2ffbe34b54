import type { RecordedConversionFact } from '@truetally/contracts/facts';
import { TOPICS } from '@truetally/contracts/topics';
import { parseOwnJson } from '@truetally/kernel';

/** A fact that may trigger workflows, and what it is delivered as. */
export interface TriggerFact {
  readonly siteId: string;
  /** As workflows name it: `purchase`, `conversion.purchase`. */
  readonly type: string;
  /** Deliveries of one subject are in order: a session, or an order. */
  readonly subject: string;
  /** Identifies the fact, so that one that is told again is delivered once. */
  readonly key: string;
  /** When it was received: workflows of a later time are not triggered by it. */
  readonly atMs: number;
  readonly eventId: string | null;
  readonly recordId: string | null;
  readonly orderId: string | null;
  /** What conditions read. */
  readonly fields: unknown;
  /** `timestamp` of the body. */
  readonly timestamp: string;
  /** `data` of the body. */
  readonly data: object;
}

/** A fact as it was told: enough to see whether a workflow is for it. */
export interface ToldTrigger extends Pick<TriggerFact, 'siteId' | 'type'> {
  readonly topic: string;
  readonly value: string;
  /** Of its text. */
  readonly length: number;
  /** The rest, or undefined for what triggers nothing. */
  read(): TriggerFact | undefined;
}

interface StoredEvent {
  readonly event_id: string;
  readonly site_id: string;
  readonly event_type: string;
  readonly session_id: string;
  readonly user_id: string | null;
  readonly client_event_id: string | null;
  readonly occurred_at: string;
  readonly received_at: string;
  readonly trust: string;
  readonly is_bot: boolean;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly context: unknown;
}

/** A fact as it was told in its topic; undefined for what triggers nothing. */
export function toldTrigger(topic: string, value: string): ToldTrigger | undefined {
  return topic === TOPICS.eventsStored.name ? toldEvent(value) : toldConversion(value);
}

/** How ingestion begins an event; one that begins otherwise is read whole. */
const BEGIN = /^\{"event_id":"[^"\\]*","site_id":"([^"\\]*)","event_type":"([^"\\]*)"/;

/** A fact of `events.stored.v1`: almost none has a workflow, so that nothing but its beginning is read. */
export function toldEvent(value: string): ToldTrigger | undefined {
  const [, siteId, type] = BEGIN.exec(value) ?? [];
  const told = { topic: TOPICS.eventsStored.name, value, length: value.length };
  if (siteId === undefined || type === undefined) return toldAlready(told, triggerOfEvent(value));
  return { ...told, siteId, type, read: () => triggerOfEvent(value) };
}

/** Bytes of what comes before the type. */
const HEAD_BYTES = 99;
const HEAD = /^\{"event_id":"[0-9a-f-]{36}","site_id":"([0-9a-f-]{36})"$/;

/** The site of an event, by its first bytes; undefined for one that is written otherwise than ingestion does. */
export function siteOfEvent(written: Buffer): string | undefined {
  return HEAD.exec(written.toString('latin1', 0, HEAD_BYTES))?.[1];
}

/** An event that is read when it is asked for. */
export class UnreadEvent implements ToldTrigger {
  readonly topic = TOPICS.eventsStored.name;

  constructor(
    readonly siteId: string,
    private readonly written: Buffer,
  ) {}

  get length(): number {
    return this.written.length;
  }

  get value(): string {
    return this.written.toString();
  }

  get type(): string {
    return toldEvent(this.value)?.type ?? '';
  }

  read(): TriggerFact | undefined {
    return toldEvent(this.value)?.read();
  }
}

/** How the ledger begins a record; one that begins otherwise is read whole. */
const RECORD_BEGIN =
  /^\{"record_id":"[^"\\]*","conversion_id":"[^"\\]*","site_id":"([^"\\]*)","order_id":"[^"\\]*","order_sequence":\d+,"event_type":"([^"\\]*)"/;

/** A fact of `conversions.recorded.v1`: as of an event, only its beginning is read, but for a change of the commission alone. */
export function toldConversion(value: string): ToldTrigger | undefined {
  const [, siteId, type] = RECORD_BEGIN.exec(value) ?? [];
  const told = { topic: TOPICS.conversionsRecorded.name, value, length: value.length };
  if (siteId === undefined || type === undefined || type === 'commission')
    return toldAlready(told, triggerOfConversion(value));
  return { ...told, siteId, type: typeOfRecord(type), read: () => triggerOfConversion(value) };
}

function toldAlready(
  told: Pick<ToldTrigger, 'topic' | 'value' | 'length'>,
  fact: TriggerFact | undefined,
): ToldTrigger | undefined {
  return fact && { ...told, siteId: fact.siteId, type: fact.type, read: () => fact };
}

/**
 * Reads a fact of `events.stored.v1`.
 * @returns undefined for an event of a browser: it has no external effects (interface page, section 10)
 */
function triggerOfEvent(value: string): TriggerFact | undefined {
  // Numbers of the shop's own reach its endpoint as it sent them.
  const event = parseOwnJson(value) as StoredEvent;
  if (event.trust !== 'server') return undefined;
  const { event_id, site_id, event_type, session_id, user_id, client_event_id } = event;
  const { occurred_at, received_at, is_bot, properties, context } = event;
  return {
    siteId: site_id,
    type: event_type,
    subject: subjectOfSession(session_id),
    key: `event:${event_id}`,
    atMs: Date.parse(received_at),
    eventId: event_id,
    recordId: null,
    orderId: null,
    fields: event,
    timestamp: new Date(occurred_at).toISOString(),
    data: {
      event_id,
      site_id,
      event_type,
      session_id,
      user_id,
      client_event_id,
      occurred_at,
      received_at,
      is_bot,
      properties,
      context,
    },
  };
}

/**
 * Reads a fact of `conversions.recorded.v1`.
 * @returns undefined for a change of the commission alone, which is no entry of a client's
 */
function triggerOfConversion(value: string): TriggerFact | undefined {
  const entry = JSON.parse(value) as RecordedConversionFact;
  if (entry.event_type === 'commission') return undefined;
  const { record_id, conversion_id, site_id, order_id, order_sequence, state, currency } = entry;
  return {
    siteId: site_id,
    type: typeOfRecord(entry.event_type),
    subject: `order:${order_id}`,
    key: `record:${record_id}`,
    atMs: Date.parse(entry.recorded_at),
    eventId: null,
    recordId: record_id,
    orderId: order_id,
    fields: { ...entry, event_type: typeOfRecord(entry.event_type) },
    timestamp: new Date(entry.occurred_at).toISOString(),
    data: {
      record_id,
      conversion_id,
      order_id,
      site_id,
      order_sequence,
      state,
      currency,
      occurred_at: entry.occurred_at,
      recorded_at: entry.recorded_at,
      revenue_delta: entry.revenue_delta,
      commissionable_delta: entry.commissionable_delta,
      remaining_revenue: entry.remaining_revenue,
      remaining_commissionable: entry.remaining_commissionable,
      reason: entry.reason,
    },
  };
}

/** As workflows name it. */
function typeOfRecord(eventType: string): string {
  return `conversion.${eventType}`;
}

/** The subject of a session's events. */
export function subjectOfSession(sessionId: string): string {
  return `session:${sessionId}`;
}

/** The body of a delivery (interface page, section 10). */
export function bodyOf({ type, timestamp, data }: Pick<TriggerFact, 'type' | 'timestamp' | 'data'>): string {
  return JSON.stringify({ type, timestamp, data });
}
