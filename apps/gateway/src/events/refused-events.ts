import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { OPERATIONS } from '@truetally/contracts/topics';
import type { Logger } from '@truetally/platform';
import type { Asker } from '../ask/ask.js';

/** Retry interval while too many requests wait for Kafka. */
const RETRY_MS = 100;

/**
 * Counts the events of requests in which every event was refused: they cause no message to ingestion, yet
 * received = stored + deduplicated + failed must hold per site and hour. A count is sent at once; counts that
 * arrive while messages are in flight are sent together afterwards, so that a flood of bad requests costs one
 * message per site and round trip. A killed gateway loses what was not on the log yet: `unwritten` is that
 * number.
 */
export class RefusedEvents {
  private readonly bySite = new Map<string, number>();
  private onTheWay = 0;
  private telling = Promise.resolve();
  private isTelling = false;
  private isClosing = false;

  constructor(
    private readonly asker: Pick<Asker, 'tell'>,
    private readonly log: Pick<Logger, 'error'>,
  ) {}

  /** Refused events that Kafka has not acknowledged. */
  get unwritten(): number {
    let waiting = 0;
    for (const count of this.bySite.values()) waiting += count;
    return waiting + this.onTheWay;
  }

  add(siteId: string, count: number): void {
    this.bySite.set(siteId, (this.bySite.get(siteId) ?? 0) + count);
    if (!this.isTelling) this.telling = this.tellAll();
  }

  /** Sends the remaining counts while Kafka accepts them. */
  async close(): Promise<void> {
    this.isClosing = true;
    await this.telling;
  }

  private async tellAll(): Promise<void> {
    this.isTelling = true;
    while (this.bySite.size > 0) {
      const counts = [...this.bySite];
      this.bySite.clear();
      const told = await Promise.all(counts.map(([siteId, count]) => this.tell(siteId, count)));
      if (told.every((isTold) => isTold)) continue;
      if (this.isClosing) break;
      await delay(RETRY_MS);
    }
    this.isTelling = false;
    if (this.bySite.size > 0) this.giveUp();
  }

  /**
   * Sent without a reply, and retried until Kafka has it.
   * @returns whether Kafka has it; if not, it is added to the next count
   */
  private async tell(siteId: string, failed: number): Promise<boolean> {
    const requestId = randomUUID();
    this.onTheWay += failed;
    try {
      const message = { siteId, requestId, trust: 'browser', failed, events: [] } as const;
      await this.asker.tell(OPERATIONS.trackEvent, message, { requestId });
      return true;
    } catch {
      this.bySite.set(siteId, (this.bySite.get(siteId) ?? 0) + failed);
      return false;
    } finally {
      this.onTheWay -= failed;
    }
  }

  private giveUp(): void {
    this.log.error({ sites: Object.fromEntries(this.bySite) }, 'Refused events could not be counted.');
  }
}
