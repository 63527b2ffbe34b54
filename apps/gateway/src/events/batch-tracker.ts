import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { MAX_EVENTS_PER_REQUEST, type RefusedItem, TrackBatch } from '@truetally/contracts/events';
import { compileReader, isJsonObject } from '@truetally/contracts/validation';
import { type FieldErrors, type JsonReading, type Result, succeed } from '@truetally/kernel';
import type { SiteCaller } from '../credentials/caller.js';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse, refuseAs } from '../http/respond.js';
import { refusedItem } from '../refusals/refused-item.js';
import { RefusalTeller } from '../refusals/refusal-teller.js';
import { type BatchSummary, type JudgedItem, writeBatchResults } from './batch-results.js';
import { EventStoreClient } from './event-store-client.js';
import { type PreparedEvent, prepareEvent } from './prepare-event.js';

const readBatch = compileReader(TrackBatch);

/**
 * Up to a hundred events, each validated alone: an invalid one never stops the others (interface page,
 * section 4).
 */
@Injectable()
export class BatchTracker {
  constructor(
    private readonly client: EventStoreClient,
    private readonly refusals: RefusalTeller,
  ) {}

  track(exchange: Exchange): void | Promise<void> {
    const caller = exchange.callerOfSite();
    const batch = readBatch(exchange.takeBody());
    if (!batch.ok) return refuse(exchange, 'broken-rules', batch.error);
    const items = batch.value.events.map(preparing(caller, exchange.takeTexts()));
    const judged = items.map(judge);
    const events = items.flatMap((item) => (item.ok ? [item.value] : []));
    const refused = refusedAmong(exchange, caller, batch.value.events, items);
    if (refused.length > 0) exchange.blame?.(refused.length);
    if (events.length === 0) {
      this.refusals.addItems(caller.siteId, refused);
      return respond(exchange, writeBatchResults(judged, []));
    }
    const stored = this.client.store(exchange, { caller, events, refused });
    return this.answerWhenStored(exchange, judged, stored);
  }

  /** A separate function, so that only the results stay in memory while the request waits. */
  private async answerWhenStored(
    exchange: Exchange,
    judged: readonly JudgedItem[],
    asked: ReturnType<EventStoreClient['store']>,
  ): Promise<void> {
    const stored = await asked;
    if ('error' in stored) return refuseAs(exchange, refusalOf(stored.error), stored.error.details);
    respond(exchange, writeBatchResults(judged, stored.ok));
  }
}

/** A batch costs its number of events; an invalid one is refused by validation, which costs 1. */
export function costOfBatch(body: unknown): number {
  const events = isJsonObject(body) ? body['events'] : undefined;
  const isBatch = Array.isArray(events) && events.length > 0 && events.length <= MAX_EVENTS_PER_REQUEST;
  return isBatch ? events.length : 1;
}

type Prepared = Result<PreparedEvent, FieldErrors>;

function preparing(
  { siteId, trust }: SiteCaller,
  texts: JsonReading['texts'],
): (event: unknown, index: number) => Prepared {
  const nowMs = Date.now();
  return (event, index) =>
    prepareEvent({ event, texts: texts?.[index], siteId, trust, index, nowMs, randomId: randomUUID });
}

function refusedAmong(
  { requestId }: Exchange,
  { trust }: SiteCaller,
  events: readonly unknown[],
  items: readonly Prepared[],
): readonly RefusedItem[] {
  return items.flatMap((item, index) =>
    item.ok ? [] : [refusedItem(events[index], item.error, { requestId, index, trust })],
  );
}

function judge(item: Result<PreparedEvent, FieldErrors>): JudgedItem {
  return item.ok ? succeed(item.value.eventId) : item;
}

/** 201 when every item succeeded, 207 when any failed. */
function respond(exchange: Exchange, { failed, data }: BatchSummary): void {
  answer(exchange, failed === 0 ? 201 : 207, data);
}
