import { type Admin } from 'kafkajs';
import { describeError } from '../errors.js';
import { ABANDONED_REPLIES_MS, JANITOR_INTERVAL_MS, REPLIES_PREFIX } from '../limits.js';
import { type Messaging } from '../messaging.js';

/**
 * How often abandoned reply topics are searched for, and after how long without a live owner one counts as abandoned.
 */
export interface JanitorOptions {
  readonly intervalMs: number;
  readonly abandonedMs: number;
}

/** Removes reply topics of crashed processes: those without a reader for a while. */
export class ReplyJanitor {
  /** In a row, by topic. */
  private readonly unreadLooks = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly messaging: Messaging,
    private readonly options: JanitorOptions = {
      intervalMs: JANITOR_INTERVAL_MS,
      abandonedMs: ABANDONED_REPLIES_MS,
    },
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.sweeping ??= this.sweep().finally(() => {
        this.sweeping = undefined;
      });
    }, this.options.intervalMs);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  private async sweep(): Promise<void> {
    try {
      await this.messaging.administer((admin) => this.sweepWith(admin));
    } catch (error) {
      // Behind an outage nobody reads for a moment.
      this.unreadLooks.clear();
      this.messaging.options.log.debug({ error: describeError(error) }, 'reply topics not looked through');
    }
  }

  private async sweepWith(admin: Admin): Promise<void> {
    const prefix = this.messaging.prefixed(REPLIES_PREFIX);
    const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
    const readers = await this.livingGroups(admin, prefix);
    const { intervalMs, abandonedMs } = this.options;
    const abandoned: string[] = [];
    for (const topic of topics) {
      // A group's name is its topic's, plus a suffix per consumer.
      const isRead = readers.some((group) => group.startsWith(`${topic}.`));
      const looks = isRead ? 0 : (this.unreadLooks.get(topic) ?? 0) + 1;
      this.unreadLooks.set(topic, looks);
      // Looks, and no time: where this process was stopped for long, its own reader is not back at once either.
      if ((looks - 1) * intervalMs >= abandonedMs) abandoned.push(topic);
    }
    for (const topic of this.unreadLooks.keys()) if (!topics.includes(topic)) this.unreadLooks.delete(topic);
    if (abandoned.length === 0) return;
    await admin.deleteTopics({ topics: abandoned });
    this.messaging.options.log.info({ topics: abandoned }, 'abandoned reply topics removed');
  }

  private async livingGroups(admin: Admin, prefix: string): Promise<readonly string[]> {
    const { groups } = await admin.listGroups();
    const ids = groups.map(({ groupId }) => groupId).filter((id) => id.startsWith(prefix));
    if (ids.length === 0) return [];
    const described = await admin.describeGroups(ids);
    return described.groups.filter(({ members }) => members.length > 0).map(({ groupId }) => groupId);
  }
}
