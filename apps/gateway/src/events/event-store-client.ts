import {
  countReasons,
  type RefusedItem,
  type Refusals,
  NO_REFUSALS,
  type StoredVerdict,
} from '@truetally/contracts/events';
import type { SealedReference } from '@truetally/contracts/publisher';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Reply } from '@truetally/kernel';
import type { Asker } from '../ask/ask.js';
import type { SiteCaller } from '../credentials/caller.js';
import type { Exchange } from '../http/exchange.js';
import type { ClickReferences } from './click-references.js';
import type { PreparedEvent } from './prepare-event.js';

export interface StoreQuestion {
  readonly caller: SiteCaller;
  readonly events: readonly PreparedEvent[];
  /** The refused items of the same request: they are counted with the others. */
  readonly refused: readonly RefusedItem[];
}

/** Asks ingestion to store a request's events, and reads the outcomes. */
export class EventStoreClient {
  constructor(
    private readonly asker: Pick<Asker, 'ask'>,
    private readonly references: ClickReferences,
  ) {}

  store(exchange: Exchange, question: StoreQuestion): Promise<Reply<readonly StoredVerdict[]>> {
    const { caller, events, refused } = question;
    const isOfClicks = events.some(({ clickReference }) => clickReference !== null);
    const references = isOfClicks ? this.references.seal(caller.siteId, events) : [];
    const reply = this.asker.ask(exchange, OPERATIONS.trackEvent, {
      siteId: caller.siteId,
      requestId: exchange.requestId,
      trust: caller.trust,
      refusals: refusalsOf(refused),
      events,
    });
    // Not awaited here: the events are serialised, and this call can release them.
    return references.length === 0 ? reply : this.withReferences(exchange, caller.siteId, references, reply);
  }

  /**
   * A reference follows its event, so that none is kept of a click that ingestion refuses. A click is answered when both are stored:
   * until then, or after the end of this process between the two, the client sends it again, and its reference goes with the duplicate.
   */
  private async withReferences(
    exchange: Exchange,
    siteId: string,
    references: readonly (SealedReference | undefined)[],
    reply: Promise<Reply<readonly StoredVerdict[]>>,
  ): Promise<Reply<readonly StoredVerdict[]>> {
    const verdicts = await reply;
    if ('error' in verdicts) return verdicts;
    const accepted = references.flatMap((reference, index) =>
      reference === undefined || verdicts.ok[index]?.verdict === 'refused' ? [] : [reference],
    );
    if (accepted.length === 0) return verdicts;
    const missing = await this.references.send(exchange, siteId, accepted);
    return missing === undefined ? verdicts : { error: missing };
  }
}

function refusalsOf(items: readonly RefusedItem[]): Refusals {
  return items.length === 0 ? NO_REFUSALS : { failed: countReasons(items), requests: [], items };
}
