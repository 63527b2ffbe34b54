import {
  type EncodedEvent,
  encodeStoreEvents,
  parseStoreEventsReply,
  type StoredVerdict,
  TOPICS,
} from '@truetally/contracts';
import { fail, type Failure, failure, type Result } from '@truetally/kernel';
import type { KafkaAskClient } from '@truetally/messaging';
import type { SiteCaller } from '../credentials/caller.js';
import type { Exchange } from '../http/exchange.js';
import { traceparentFrom } from '../http/traceparent.js';

export interface StoreQuestion {
  readonly caller: SiteCaller;
  readonly events: readonly EncodedEvent[];
  /** Items of the same request that were refused here, counted with the others. */
  readonly failed: number;
  /** Kafka's partition key: it spreads requests, order is nobody's business here. */
  readonly key: string;
}

/** Asks ingestion to store a request's events, and reads what became of each. */
export class EventStoreClient {
  constructor(private readonly asker: Pick<KafkaAskClient, 'ask'>) {}

  async store(
    exchange: Exchange,
    question: StoreQuestion,
  ): Promise<Result<readonly StoredVerdict[], Failure>> {
    const { requestId, request } = exchange;
    const { caller, events, failed, key } = question;
    const reply = await this.asker.ask({
      topic: TOPICS.storeEvents.name,
      key,
      value: encodeStoreEvents({ siteId: caller.siteId, requestId, trust: caller.trust, failed, events }),
      weight: events.length,
      requestId,
      traceparent: traceparentFrom(request.headers.traceparent),
    });
    if ('error' in reply) return fail(reply.error);
    const verdicts = parseStoreEventsReply(reply.ok, events.length);
    return verdicts.ok ? verdicts : fail(failure('INTERNAL_ERROR', verdicts.error).error);
  }
}
