import {
  type EncodedEvent,
  encodeStoreEvents,
  parseStoreEventsReply,
  type StoredVerdict,
} from '@truetally/contracts/events';
import { TOPICS } from '@truetally/contracts/topics';
import { fail, type Failure, failure, type Reply, type Result } from '@truetally/kernel';
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

  store(exchange: Exchange, question: StoreQuestion): Promise<Result<readonly StoredVerdict[], Failure>> {
    const { requestId, request } = exchange;
    const { caller, events, failed, key } = question;
    const count = events.length;
    const reply = this.asker.ask({
      topic: TOPICS.storeEvents.name,
      key,
      value: encodeStoreEvents({ siteId: caller.siteId, requestId, trust: caller.trust, failed, events }),
      weight: count,
      requestId,
      traceparent: traceparentFrom(request.headers.traceparent),
    });
    // Not awaited here: the events are written, and this call's memory of them ends with it.
    return reply.then((given) => verdictsOf(given, count));
  }
}

function verdictsOf(reply: Reply<unknown>, count: number): Result<readonly StoredVerdict[], Failure> {
  if ('error' in reply) return fail(reply.error);
  const verdicts = parseStoreEventsReply(reply.ok, count);
  return verdicts.ok ? verdicts : fail(failure('INTERNAL_ERROR', verdicts.error).error);
}
