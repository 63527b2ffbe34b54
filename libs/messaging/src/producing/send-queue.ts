import { type Message } from 'kafkajs';

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
