import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { refusalOf } from '../http/errors.js';
import type { Exchange } from '../http/exchange.js';
import { answer, refuse, refuseAs } from '../http/respond.js';
import { refusedItem } from '../refusals/refused-item.js';
import { RefusalTeller } from '../refusals/refusal-teller.js';
import { EventStoreClient } from './event-store-client.js';
import { prepareEvent } from './prepare-event.js';

/** One event: admitted, validated, stored, answered (interface page, section 4). */
@Injectable()
export class EventTracker {
  constructor(
    private readonly client: EventStoreClient,
    private readonly refusals: RefusalTeller,
  ) {}

  track(exchange: Exchange): void | Promise<void> {
    const caller = exchange.callerOfSite();
    const { siteId, trust } = caller;
    const event = exchange.takeBody();
    const texts = exchange.takeTexts()?.[0];
    const prepared = prepareEvent({
      event,
      texts,
      siteId,
      trust,
      index: null,
      nowMs: Date.now(),
      randomId: randomUUID,
    });
    if (!prepared.ok) {
      exchange.isCountedByItem = true;
      exchange.blame?.(1);
      const place = { requestId: exchange.requestId, index: null, trust };
      this.refusals.addItems(siteId, [refusedItem(event, prepared.error, place)]);
      return refuse(exchange, 'broken-rules', prepared.error);
    }
    const { eventId } = prepared.value;
    const stored = this.client.store(exchange, {
      caller,
      events: [prepared.value],
      refused: [],
    });
    return answerWhenStored(exchange, eventId, stored);
  }
}

/** A separate function, so that the event is not kept in memory while its request waits. */
async function answerWhenStored(
  exchange: Exchange,
  eventId: string,
  asked: ReturnType<EventStoreClient['store']>,
): Promise<void> {
  const stored = await asked;
  if ('error' in stored) return refuseAs(exchange, refusalOf(stored.error), stored.error.details);
  const [first] = stored.ok;
  if (first === undefined) throw new Error('A reply to one event has one verdict.');
  if (first.verdict === 'refused') {
    exchange.isCountedByItem = true;
    return refuse(exchange, 'person-erased');
  }
  const result = `{"event_id":"${eventId}","timestamp":"${first.receivedAt}"`;
  if (first.verdict === 'stored') answer(exchange, 201, `${result}}`);
  else answer(exchange, 200, `${result},"deduplicated":true}`);
}
