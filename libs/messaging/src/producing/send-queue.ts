import { type Message } from 'kafkajs';
import { backoffMs, pause } from '../delay.js';

/** A message on its way to Kafka; the ticket identifies it to its owner. */
export interface Outgoing<T> {
  /** With its prefix. */
  readonly topic: string;
  readonly message: Message;
  readonly bytes: number;
  readonly ticket: T;
  /** Nobody waits for it: it gathers with others for `GATHER_MS`, however small the last send was. */
  readonly mayGather?: boolean;
}

/** First in, first out, cut into chunks of bounded count and size; an oversized message is sent alone. */
export class SendQueue<T> {
  private items: Outgoing<T>[] = [];
  private head = 0;
  private totalBytes = 0;
  private pressingCount = 0;

  constructor(
    private readonly chunkMessages: number,
    private readonly chunkBytes: number,
  ) {}

  get count(): number {
    return this.items.length - this.head;
  }

  get bytes(): number {
    return this.totalBytes;
  }

  /** Whether somebody waits for one of the messages. */
  get isPressing(): boolean {
    return this.pressingCount > 0;
  }

  /** Whether the messages fill a chunk. */
  get hasChunk(): boolean {
    return this.count >= this.chunkMessages || this.totalBytes >= this.chunkBytes;
  }

  push(outgoing: Outgoing<T>): void {
    this.items.push(outgoing);
    this.totalBytes += outgoing.bytes;
    if (outgoing.mayGather !== true) this.pressingCount++;
  }

  /** Before those that are in it. */
  putFirst(messages: readonly Outgoing<T>[]): void {
    const rest = this.takeAll();
    for (const message of [...messages, ...rest]) this.push(message);
  }

  takeChunk(): readonly Outgoing<T>[] {
    let bytes = 0;
    let end = this.head;
    for (; end < this.items.length && end - this.head < this.chunkMessages; end++) {
      const next = this.items[end]?.bytes ?? 0;
      if (end > this.head && bytes + next > this.chunkBytes) break;
      bytes += next;
    }
    const chunk = this.items.slice(this.head, end);
    this.head = end;
    this.totalBytes -= bytes;
    this.pressingCount -= chunk.filter(({ mayGather }) => mayGather !== true).length;
    // The consumed part is cut off when it is the larger one, so that each item is moved only once on
    // average.
    if (this.head * 2 >= this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return chunk;
  }

  takeAll(): readonly Outgoing<T>[] {
    const rest = this.items.slice(this.head);
    this.items = [];
    this.head = 0;
    this.totalBytes = 0;
    this.pressingCount = 0;
    return rest;
  }
}

const NONE: readonly never[] = [];

interface Options<T> {
  readonly signal: AbortSignal;
  /** Those of these topics that do not exist; rejects when that cannot be found out. */
  missingAmong(topics: ReadonlySet<string>): Promise<readonly string[]>;
  /** Into which they go when their topic exists, in their order, before all that came later. */
  readonly queue: Pick<SendQueue<T>, 'putFirst'>;
  released(): void;
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

  /** Asked for with each ask: hardly ever is there one. */
  private all(): readonly Outgoing<T>[] {
    return this.waiting.size === 0 ? NONE : [...this.waiting.values()].flat();
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
        this.options.queue.putFirst(messages);
        this.options.released();
      }
    }
    // In the same turn as the last check: what is added later is looked for again.
    this.looking = undefined;
  }
}
