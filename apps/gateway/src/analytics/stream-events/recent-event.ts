import type { EventResource } from '@truetally/contracts/events';
import type { StoredEventFact } from '@truetally/contracts/facts';
import { formatInstant, parseInstant } from '@truetally/kernel';
import type { OrderedFact } from './stored-order.js';
import type { PositionIds, StreamPosition } from './stream-position.js';

/** Which events of a site a reader wants; null is any. */
export interface StreamFilter {
  readonly event_type: string | null;
  readonly session_id: string | null;
  readonly request_id: string | null;
  readonly event_ids: readonly string[] | null;
}

interface Decoded extends Pick<EventResource, 'event_id' | 'event_type' | 'request_id' | 'session_id'> {
  /** A line of JSON: an item of the list. */
  readonly data: string;
}

/** Beside its fact: the object, its name, its place in two queues, and its position. */
const OVERHEAD_BYTES = 320;
const BYTES_PER_PARTITION = 8;

/** An event that was stored lately. Its fact is read with the first reader of its site that comes to it. */
export class RecentEvent {
  readonly siteId: string;
  /** The same when it is told twice, and another when an event with its id is stored anew. */
  readonly name: string;
  readonly partition: number;
  readonly offset: number;
  /** What follows it and all events before it. */
  readonly next: StreamPosition;
  private value: Buffer | undefined;
  private decoded: Decoded | undefined;
  private id: string | undefined;
  /** What it is counted as in memory. */
  readonly bytes: number;

  constructor(
    fact: OrderedFact,
    /** When its turn came, in epoch milliseconds. */
    readonly sentMs: number,
  ) {
    this.siteId = fact.siteId;
    this.name = nameOf(fact);
    this.partition = fact.partition;
    this.offset = fact.offset;
    this.next = fact.next;
    this.value = fact.value;
    this.bytes = fact.value.length + OVERHEAD_BYTES + BYTES_PER_PARTITION * fact.next.length;
  }

  /** Whether a reader that begins at the position has yet to get it. */
  isAfter(position: StreamPosition): boolean {
    return this.offset >= (position[this.partition] ?? 0);
  }

  matches({ event_type, session_id, request_id, event_ids }: StreamFilter): boolean {
    if (event_type === null && session_id === null && request_id === null && event_ids === null) return true;
    const event = this.read();
    return (
      event !== undefined &&
      (event_type === null || event.event_type === event_type) &&
      (session_id === null || event.session_id === session_id) &&
      (request_id === null || event.request_id === request_id) &&
      (event_ids === null || event_ids.includes(event.event_id))
    );
  }

  /** The id of its frame for every reader that began before it in each partition. */
  idFor(ids: PositionIds): string {
    this.id ??= ids.write(this.siteId, { position: this.next, sentMs: this.sentMs });
    return this.id;
  }

  /** Undefined for what is no event. */
  get data(): string | undefined {
    return this.read()?.data;
  }

  /** What nobody can read is no event: an error here would end all streams, and the process. Others who follow facts tell of it. */
  private read(): Decoded | undefined {
    if (this.value === undefined) return this.decoded;
    const { value } = this;
    this.value = undefined;
    try {
      const event = itemOf(JSON.parse(value.toString()) as StoredFact);
      const { event_id, event_type, request_id, session_id } = event;
      this.decoded = { event_id, event_type, request_id, session_id, data: JSON.stringify(event) };
    } catch {
      this.decoded = undefined;
    }
    return this.decoded;
  }
}

export function nameOf({ eventId, receivedAt }: OrderedFact): string {
  return `${eventId} ${receivedAt}`;
}

type StoredFact = StoredEventFact & Pick<EventResource, 'context' | 'properties'>;

/** As the list shows it: without the site, the device and the microseconds. */
function itemOf(fact: StoredFact): EventResource {
  return {
    event_id: fact.event_id,
    event_type: fact.event_type,
    session_id: fact.session_id,
    user_id: fact.user_id,
    client_event_id: fact.client_event_id,
    request_id: fact.request_id,
    trust: fact.trust,
    is_bot: fact.is_bot,
    occurred_at: formatInstant(parseInstant(fact.occurred_at)?.epochMs ?? 0),
    received_at: fact.received_at,
    properties: fact.properties,
    context: fact.context,
  };
}
