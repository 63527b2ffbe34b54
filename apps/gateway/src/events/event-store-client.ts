import {
  countReasons,
  type RefusedItem,
  type Refusals,
  NO_REFUSALS,
  type StoredVerdict,
} from '@truetally/contracts/events';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Failure, Reply } from '@truetally/kernel';
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
    // Before the events, so that they come first when both wait for the same send.
    const isOfClicks = events.some(({ clickReference }) => clickReference !== null);
    const references = isOfClicks ? this.references.send(exchange, caller.siteId, events) : undefined;
    const reply = this.asker.ask(exchange, OPERATIONS.trackEvent, {
      siteId: caller.siteId,
      requestId: exchange.requestId,
      trust: caller.trust,
      refusals: refusalsOf(refused),
      events,
    });
    // Not awaited here: the events are serialised, and this call can release them.
    return references === undefined ? reply : bothOf(reply, references);
  }
}

function refusalsOf(items: readonly RefusedItem[]): Refusals {
  return items.length === 0 ? NO_REFUSALS : { failed: countReasons(items), requests: [], items };
}

/** A click is answered when its reference is stored, too: until then the client retries both. */
async function bothOf(
  reply: Promise<Reply<readonly StoredVerdict[]>>,
  references: Promise<Failure | undefined>,
): Promise<Reply<readonly StoredVerdict[]>> {
  const verdicts = await reply;
  if ('error' in verdicts) return verdicts;
  const missing = await references;
  return missing === undefined ? verdicts : { error: missing };
}
