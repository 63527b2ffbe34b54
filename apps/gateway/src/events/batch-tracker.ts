import { randomUUID } from 'node:crypto';
import { compileReader, isJsonObject, MAX_EVENTS_PER_REQUEST, TrackBatch } from '@truetally/contracts';
import { type FieldErrors, type Result } from '@truetally/kernel';
import type { Entrance, Received } from '../http/entrance.js';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse, refuseAs } from '../http/respond.js';
import { type BatchSummary, writeBatchResults } from './batch-results.js';
import type { EventStoreClient } from './event-store-client.js';
import { type PreparedEvent, prepareEvent } from './prepare-event.js';
import type { RefusedEvents } from './refused-events.js';

const readBatch = compileReader(TrackBatch);

/** Up to a hundred events, each judged alone: a bad one never stops the others (interface page, section 4). */
export class BatchTracker {
  constructor(
    private readonly entrance: Entrance,
    private readonly client: EventStoreClient,
    private readonly refusedEvents: RefusedEvents,
  ) {}

  async track(exchange: Exchange): Promise<void> {
    const received = await this.entrance.receive(exchange, costOfBatch);
    if (received === undefined) return;
    const batch = readBatch(received.body);
    if (!batch.ok) return refuse(exchange, 'broken-rules', batch.error);
    const items = prepareAll(batch.value.events, received.caller.siteId);
    const events = items.flatMap((item) => (item.ok ? [item.value] : []));
    await this.store(exchange, received, items, events);
  }

  private async store(
    exchange: Exchange,
    { caller }: Received,
    items: readonly Item[],
    events: readonly PreparedEvent[],
  ): Promise<void> {
    const failed = items.length - events.length;
    if (events.length === 0) {
      this.refusedEvents.add(caller.siteId, failed);
      return respond(exchange, writeBatchResults(items, []));
    }
    const stored = await this.client.store(exchange, { caller, events, failed, key: exchange.requestId });
    if (!stored.ok) return refuseAs(exchange, refusalOf(stored.error), stored.error.details);
    respond(exchange, writeBatchResults(items, stored.value));
  }
}

type Item = Result<PreparedEvent, FieldErrors>;

/** A batch costs its number of events; one that is no batch is refused by validation, which costs 1. */
function costOfBatch(body: unknown): number {
  const events = isJsonObject(body) ? body['events'] : undefined;
  const isBatch = Array.isArray(events) && events.length > 0 && events.length <= MAX_EVENTS_PER_REQUEST;
  return isBatch ? events.length : 1;
}

function prepareAll(events: readonly unknown[], siteId: string): Item[] {
  const nowMs = Date.now();
  return events.map((event) => prepareEvent({ event, siteId, nowMs, randomId: randomUUID }));
}

/** 201 when every item succeeded, 207 when any failed. */
function respond(exchange: Exchange, { failed, data }: BatchSummary): void {
  answer(exchange, failed === 0 ? 201 : 207, data);
}
