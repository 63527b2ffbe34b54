import { backoffMs, pause } from '../delay.js';
import { type Outgoing } from './send-queue.js';

interface Options<T> {
  readonly signal: AbortSignal;
  /** Those of these topics that do not exist; rejects when that cannot be found out. */
  missingAmong(topics: ReadonlySet<string>): Promise<readonly string[]>;
  /** Their topic exists: they are sent, in this order. */
  release(messages: readonly Outgoing<T>[]): void;
}

/**
 * Messages to topics that do not exist, mostly because they were deleted. They wait until the topic exists
 * again, in their order, and delay no message of another topic.
 */
export class WaitingForTopics<T> {
  private readonly waiting = new Map<string, Outgoing<T>[]>();
  private looking: Promise<void> | undefined;

  constructor(private readonly options: Options<T>) {}

  get count(): number {
    return this.all().length;
  }

  get bytes(): number {
    return this.all().reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Takes the messages that are behind others of a missing topic. @returns the rest */
  withoutFollowers(messages: readonly Outgoing<T>[]): readonly Outgoing<T>[] {
    if (this.waiting.size === 0) return messages;
    return messages.filter((message) => {
      const before = this.waiting.get(message.topic);
      before?.push(message);
      return before === undefined;
    });
  }

  /** Takes the messages to missing topics, which are older than all that wait. @returns the rest */
  async withoutMissing(messages: readonly Outgoing<T>[]): Promise<readonly Outgoing<T>[]> {
    const names = await this.options.missingAmong(new Set(messages.map(({ topic }) => topic)));
    // Nothing that is added after the end would be taken out again.
    if (this.options.signal.aborted) return messages;
    for (const name of names) {
      const found = messages.filter(({ topic }) => topic === name);
      this.waiting.set(name, [...found, ...(this.waiting.get(name) ?? [])]);
    }
    if (names.length > 0) this.looking ??= this.look();
    return messages.filter(({ topic }) => !names.includes(topic));
  }

  takeAll(): readonly Outgoing<T>[] {
    const all = this.all();
    this.waiting.clear();
    return all;
  }

  /** Resolves when it looks no more, after the signal. */
  async ended(): Promise<void> {
    await this.looking;
  }

  private all(): readonly Outgoing<T>[] {
    return [...this.waiting.values()].flat();
  }

  /** Never rejects. */
  private async look(): Promise<void> {
    for (let attempt = 0; this.waiting.size > 0; attempt++) {
      await pause(backoffMs(attempt), this.options.signal);
      if (this.options.signal.aborted) return;
      const topics = new Set(this.waiting.keys());
      const missing = await this.options.missingAmong(topics).catch(() => [...topics]);
      for (const topic of topics) {
        const messages = this.waiting.get(topic);
        if (missing.includes(topic) || messages === undefined) continue;
        this.waiting.delete(topic);
        this.options.release(messages);
      }
    }
    // In the same turn as the last check: what is added later is looked for again.
    this.looking = undefined;
  }
}
