import { encodeTrackEvent, parseTrackEventReply, type StoredVerdict } from '@truetally/contracts/events';
import { TOPICS } from '@truetally/contracts/topics';
import { fail, type Failure, failure, type Reply, type Result } from '@truetally/kernel';
import type { KafkaAskClient } from '@truetally/messaging';
import type { SiteCaller } from '../credentials/caller.js';
import type { Exchange } from '../http/exchange.js';
import type { ClickReferences } from './click-references.js';
import type { PreparedEvent } from './prepare-event.js';

export interface StoreQuestion {
  readonly caller: SiteCaller;
  readonly events: readonly PreparedEvent[];
  /** Refused items of the same request, counted with the others. */
  readonly failed: number;
  /** Kafka's partition key: it spreads requests, whose order does not matter here. */
  readonly key: string;
}

/** Asks ingestion to store a request's events, and reads the outcomes. */
export class EventStoreClient {
  constructor(
    private readonly asker: Pick<KafkaAskClient, 'ask'>,
    private readonly references: ClickReferences,
  ) {}

  store(exchange: Exchange, question: StoreQuestion): Promise<Result<readonly StoredVerdict[], Failure>> {
    const { requestId, traceparent } = exchange;
    const { caller, events, failed, key } = question;
    const count = events.length;
    // Before the events, so that they come first when both wait for the same send.
    const references = this.references.send(exchange, caller.siteId, events);
    const reply = this.asker.ask({
      to: TOPICS.trackEvent.name,
      key,
      value: encodeTrackEvent({ siteId: caller.siteId, requestId, trust: caller.trust, failed, events }),
      weight: count,
      requestId,
      traceparent,
    });
    // Not awaited here: the events are serialised, and this call can release them.
    if (references === undefined) return reply.then((given) => verdictsOf(given, count));
    return bothOf(reply, references, count);
  }
}

/** A click is answered when its reference is stored, too: until then the client retries both. */
async function bothOf(
  reply: Promise<Reply<unknown>>,
  references: Promise<Failure | undefined>,
  count: number,
): Promise<Result<readonly StoredVerdict[], Failure>> {
  const verdicts = verdictsOf(await reply, count);
  if (!verdicts.ok) return verdicts;
  const missing = await references;
  return missing === undefined ? verdicts : fail(missing);
}

function verdictsOf(reply: Reply<unknown>, count: number): Result<readonly StoredVerdict[], Failure> {
  if ('error' in reply) return fail(reply.error);
  const verdicts = parseTrackEventReply(reply.ok, count);
  return verdicts.ok ? verdicts : fail(failure('INTERNAL_ERROR', verdicts.error).error);
}
