import { encodeStoreEvents } from '@truetally/contracts/events';
import { TOPICS } from '@truetally/contracts/topics';
import type { KafkaAskClient } from '@truetally/messaging';
import type { Logger } from '@truetally/platform';
import { randomUUID } from 'node:crypto';

const FLUSH_MS = 1_000;

/**
 * Counts the events of requests in which every event was refused: no message goes to ingestion for them, yet
 * received = stored + deduplicated + failed must hold per site and hour. Told to ingestion once a second, so that a
 * flood of bad requests costs one message.
 */
export class RefusedEvents {
  private readonly bySite = new Map<string, number>();
  private readonly timer: NodeJS.Timeout;
  private telling: Promise<void> = Promise.resolve();

  constructor(
    private readonly asker: Pick<KafkaAskClient, 'tell'>,
    private readonly log: Logger,
  ) {
    this.timer = setInterval(() => this.flush(), FLUSH_MS);
    this.timer.unref();
  }

  add(siteId: string, count: number): void {
    this.bySite.set(siteId, (this.bySite.get(siteId) ?? 0) + count);
  }

  /** Tells what is not told yet. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    this.flush();
    await this.telling;
  }

  private flush(): void {
    if (this.bySite.size === 0) return;
    const counts = [...this.bySite];
    this.bySite.clear();
    const told = Promise.all(counts.map(([siteId, count]) => this.tell(siteId, count)));
    this.telling = Promise.all([this.telling, told]).then(() => undefined);
  }

  /** Told, not asked: nobody waits, and it goes out again until Kafka has it. */
  private async tell(siteId: string, failed: number): Promise<void> {
    const requestId = randomUUID();
    try {
      await this.asker.tell({
        topic: TOPICS.storeEvents.name,
        key: siteId,
        value: encodeStoreEvents({ siteId, requestId, trust: 'browser', failed, events: [] }),
        requestId,
      });
    } catch (error) {
      this.log.error({ err: error, site_id: siteId, failed }, 'Refused events could not be counted.');
    }
  }
}
