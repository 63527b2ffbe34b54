import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { failedItems, type ReasonCount, type Refusals } from '@truetally/contracts/events';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Logger } from '@truetally/platform';
import type { Asker } from '../ask/ask.js';
import type { Exchange } from '../http/exchange.js';

/** Retry interval while too many requests wait for Kafka. */
const RETRY_MS = 100;
/** Whole requests with these answers are counted by site: what a merchant can have caused (interface page, section 9). */
const COUNTED_STATUSES: ReadonlySet<number> = new Set([400, 401, 403, 413, 415, 429]);

/** What waits to be told of one site: as many entries as there are reasons and statuses, whatever arrives. */
interface Pending {
  readonly reasons: Map<string, ReasonCount>;
  readonly requests: Map<number, number>;
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
  private telling = Promise.resolve();
  private isTelling = false;
  private isClosing = false;

  constructor(
    private readonly asker: Pick<Asker, 'tell'>,
    private readonly log: Pick<Logger, 'error'>,
  ) {}

  /** Refused items that Kafka has not acknowledged. */
  get unwritten(): number {
    let waiting = 0;
    for (const pending of this.bySite.values()) waiting += failedItems(refusalsOf(pending));
    return waiting + this.onTheWay;
  }

  /** Counts the items of a request that causes no other message to ingestion. */
  addItems(siteId: string, reasons: readonly ReasonCount[]): void {
    this.add(siteId, { failed: reasons, requests: [] });
  }

  /** Counts a request that was refused whole, if its site is known and its items are not counted. */
  addRequest({ caller, refusedSiteId, isCountedByItem }: Refusable, status: number): void {
    if (isCountedByItem || !COUNTED_STATUSES.has(status)) return;
    const siteId = caller?.kind === 'site' ? caller.siteId : refusedSiteId;
    if (siteId !== undefined) this.add(siteId, { failed: [], requests: [{ status, count: 1 }] });
  }

  /** Sends the remaining counts while Kafka accepts them. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.telling;
  }

  private add(siteId: string, refusals: Refusals): void {
    this.keep(siteId, refusals);
    if (!this.isTelling) this.telling = this.tellAll();
  }

  private keep(siteId: string, { failed, requests }: Refusals): void {
    const pending = this.bySite.get(siteId) ?? { reasons: new Map(), requests: new Map() };
    this.bySite.set(siteId, pending);
    for (const { code, field, count } of failed) {
      const name = `${code} ${field ?? ''}`;
      const sum = count + (pending.reasons.get(name)?.count ?? 0);
      pending.reasons.set(name, { code, field, count: sum });
    }
    for (const { status, count } of requests) {
      pending.requests.set(status, count + (pending.requests.get(status) ?? 0));
    }
  }

  private async tellAll(): Promise<void> {
    this.isTelling = true;
    while (this.bySite.size > 0) {
      const waiting = [...this.bySite];
      this.bySite.clear();
      const told = await Promise.all(
        waiting.map(([siteId, pending]) => this.tell(siteId, refusalsOf(pending))),
      );
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

type Refusable = Pick<Exchange, 'caller' | 'isCountedByItem' | 'refusedSiteId'>;

function refusalsOf({ reasons, requests }: Pending): Refusals {
  return {
    failed: [...reasons.values()],
    requests: [...requests].map(([status, count]) => ({ status, count })),
  };
}
