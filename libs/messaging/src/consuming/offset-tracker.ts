/** One message of a partition while it is in hand. */
export interface Ticket {
  readonly offset: number;
  /** Set by the tracker. */
  isDone: boolean;
}

/**
 * What may be committed of one partition: messages are finished in any order, and the offset follows only as far
 * as everything before it is finished. Pure. Offsets are numbers: 2^53 is beyond any partition's life.
 */
export class OffsetTracker {
  private tickets: Ticket[] = [];
  private head = 0;
  private lastTakenOffset = -1;
  private finishedEnd = -1;
  private committedEnd = -1;

  /** The highest offset that was ever taken in hand; what comes again at or below it is in hand or finished. */
  get lastTaken(): number {
    return this.lastTakenOffset;
  }

  /** Everything before it is done, and Kafka knows: nothing of it comes again from the same log. */
  get committedTo(): number {
    return this.committedEnd;
  }

  /** Whether anything taken is not finished yet. */
  get isBusy(): boolean {
    return this.head < this.tickets.length;
  }

  /** Offsets must ascend; gaps are fine (compaction, transaction markers). */
  take(ticket: Ticket): void {
    if (ticket.offset <= this.lastTakenOffset) {
      throw new RangeError(`Offset ${ticket.offset} came after ${this.lastTakenOffset}`);
    }
    this.lastTakenOffset = ticket.offset;
    this.tickets.push(ticket);
  }

  /** Up to that offset there is nothing to do: control records of transactions, or what was aborted. */
  pass(offset: number): void {
    if (offset <= this.lastTakenOffset) return;
    const ticket = { offset, isDone: false };
    this.take(ticket);
    this.finish(ticket);
  }

  finish(ticket: Ticket): void {
    ticket.isDone = true;
    while (this.head < this.tickets.length) {
      const first = this.tickets[this.head];
      if (first?.isDone !== true) break;
      this.finishedEnd = first.offset + 1;
      this.head++;
    }
    if (this.head * 2 > this.tickets.length) {
      this.tickets = this.tickets.slice(this.head);
      this.head = 0;
    }
  }

  /** The offset to commit (that of the next message to be read), or undefined when nothing is new. */
  uncommitted(): number | undefined {
    return this.finishedEnd > this.committedEnd ? this.finishedEnd : undefined;
  }

  committed(end: number): void {
    this.committedEnd = Math.max(this.committedEnd, end);
  }
}
