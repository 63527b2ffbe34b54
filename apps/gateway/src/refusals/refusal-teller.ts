import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  countReasons,
  failedItems,
  type ReasonCount,
  type RefusedItem,
  type Refusals,
} from '@truetally/contracts/events';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Logger } from '@truetally/platform';
import type { Asker } from '../ask/ask.js';
import type { Exchange } from '../http/exchange.js';
import type { VisitorShares } from '../limits/visitor-shares.js';

/** Retry interval while too many requests wait for Kafka. */
const RETRY_MS = 100;
const CLOSE_TIMEOUT_MS = 1_000;
/** Whole requests with these answers are counted by site: what a merchant can have caused (interface page, section 9). */
const COUNTED_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 413, 415, 429]);

/** Items that wait to be told one by one, of one site and of all: further ones are counted alone. */
export const MOST_ITEMS = { ofSite: 10_000, ofAll: 50_000 };
/** Of one message: some hundred kilobytes at most. */
const ITEMS_PER_MESSAGE = 500;

/** What waits to be told of one site: as many counts as there are reasons and statuses, whatever arrives. */
interface Pending {
  readonly reasons: Map<string, ReasonCount>;
  readonly requests: Map<number, number>;
  readonly items: RefusedItem[];
}

/**
 * Tells ingestion what was refused of a site without any message of its own: the items of requests in which every item
 * was refused, and requests refused whole. Received = stored + deduplicated + failed must hold per site and hour. It is
 * told at once; what arrives while messages are in flight is told together afterwards, so that a flood of bad
 * requests costs one message per site and round trip. A killed gateway loses what was not on the log yet:
 * `unwritten` is that number of items.
 */
export class RefusalTeller {
  private readonly bySite = new Map<string, Pending>();
  private onTheWay = 0;
  private waitingItems = 0;
  private telling = Promise.resolve();
  private isTelling = false;
  private isClosing = false;

  constructor(
    private readonly asker: Pick<Asker, 'tell'>,
    private readonly visitors: Pick<VisitorShares, 'take'>,
    private readonly log: Pick<Logger, 'error'>,
  ) {}

  /** Refused items that Kafka has not acknowledged. */
  get unwritten(): number {
    let waiting = 0;
    for (const pending of this.bySite.values()) waiting += failedItems(refusalsOf(pending));
    return waiting + this.onTheWay;
  }

  /** Counts the items of a request that causes no other message to ingestion. */
  addItems(siteId: string, items: readonly RefusedItem[]): void {
    this.add(siteId, { failed: countReasons(items), requests: [], items });
  }

  /** Counts a request that was refused whole, if its site is known and its items are not counted. */
  addRequest(exchange: Refusable, status: number): void {
    const { request, caller, refusedSiteId, isCountedByItem, refusedWith, requestId } = exchange;
    if (isCountedByItem || !COUNTED_STATUSES.has(status)) return;
    const isOfSite = caller?.kind === 'site';
    const siteId = isOfSite ? caller.siteId : refusedSiteId;
    if (siteId === undefined) return;
    const trust = isOfSite ? caller.trust : null;
    const isListed = refusedWith !== undefined && (trust === 'server' || this.hasRoomFor(request, siteId));
    const items = isListed ? [{ ...NO_ITEM, requestId, trust, code: refusedWith, status }] : [];
    this.add(siteId, { failed: [], requests: [{ status, count: 1 }], items });
  }

  /** Strangers can be refused as often as they like: each address has its share of what a site's trail keeps, as of its hour. */
  private hasRoomFor(request: Exchange['request'], siteId: string): boolean {
    const trail = { subject: `trail:${siteId}`, perHour: MOST_ITEMS.ofSite };
    return this.visitors.take(request, trail, 1) === undefined;
  }

  /** Sends the remaining counts while Kafka accepts them; what it has not then is given up when the client closes. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.race([this.telling, delay(CLOSE_TIMEOUT_MS, undefined, { ref: false })]);
  }

  private add(siteId: string, refusals: Refusals): void {
    this.keep(siteId, refusals);
    if (!this.isTelling) this.telling = this.tellAll();
  }

  private keep(siteId: string, { failed, requests, items }: Refusals): void {
    const pending: Pending = this.bySite.get(siteId) ?? {
      reasons: new Map(),
      requests: new Map(),
      items: [],
    };
    this.bySite.set(siteId, pending);
    for (const { code, field, count } of failed) {
      const name = `${code} ${field ?? ''}`;
      const sum = count + (pending.reasons.get(name)?.count ?? 0);
      pending.reasons.set(name, { code, field, count: sum });
    }
    for (const { status, count } of requests) {
      pending.requests.set(status, count + (pending.requests.get(status) ?? 0));
    }
    const room = Math.min(MOST_ITEMS.ofSite - pending.items.length, MOST_ITEMS.ofAll - this.waitingItems);
    for (const item of items.slice(0, Math.max(0, room))) {
      pending.items.push(item);
      this.waitingItems += 1;
    }
  }

  private async tellAll(): Promise<void> {
    this.isTelling = true;
    while (this.bySite.size > 0) {
      const waiting = [...this.bySite];
      this.bySite.clear();
      const messages = waiting.flatMap(([siteId, pending]) =>
        messagesOf(pending).map((refusals) => [siteId, refusals] as const),
      );
      this.waitingItems = 0;
      const told = await Promise.all(messages.map(([siteId, refusals]) => this.tell(siteId, refusals)));
      if (told.every((isTold) => isTold)) continue;
      if (this.isClosing) break;
      await delay(RETRY_MS);
    }
    this.isTelling = false;
    if (this.bySite.size > 0) this.giveUp();
  }

  /**
   * Sent without a reply, and retried until Kafka has it.
   * @returns whether Kafka has it; if not, it is told with the next
   */
  private async tell(siteId: string, refusals: Refusals): Promise<boolean> {
    const requestId = randomUUID();
    const items = failedItems(refusals);
    this.onTheWay += items;
    try {
      const message = { siteId, requestId, trust: 'browser', refusals, events: [] } as const;
      await this.asker.tell(OPERATIONS.trackEvent, message, { requestId });
      return true;
    } catch {
      this.keep(siteId, refusals);
      return false;
    } finally {
      this.onTheWay -= items;
    }
  }

  private giveUp(): void {
    const sites = [...this.bySite].map(([siteId, pending]) => [siteId, failedItems(refusalsOf(pending))]);
    this.log.error({ sites: Object.fromEntries(sites) as object }, 'Refused events could not be counted.');
  }
}

type Refusable = Pick<
  Exchange,
  'caller' | 'isCountedByItem' | 'refusedSiteId' | 'refusedWith' | 'request' | 'requestId'
>;

/** A request refused whole is about no event. */
const NO_ITEM = { index: null, eventType: null, clientEventId: null, field: null, rule: null };

function refusalsOf({ reasons, requests, items }: Pending): Refusals {
  return {
    failed: [...reasons.values()],
    requests: [...requests].map(([status, count]) => ({ status, count })),
    items,
  };
}

/** The counts go with the first items, so that they are told once. */
function messagesOf(pending: Pending): readonly Refusals[] {
  const { items, ...counts } = refusalsOf(pending);
  const messages: Refusals[] = [{ ...counts, items: items.slice(0, ITEMS_PER_MESSAGE) }];
  for (let start = ITEMS_PER_MESSAGE; start < items.length; start += ITEMS_PER_MESSAGE) {
    messages.push({ failed: [], requests: [], items: items.slice(start, start + ITEMS_PER_MESSAGE) });
  }
  return messages;
}
