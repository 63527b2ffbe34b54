/** Tickets that are kept before any are looked for that need not be. */
const FEW = 64;

/** One message of a partition, and nothing of its contents: a tracker keeps those that are finished behind one that is not. */
export interface Ticket {
  readonly offset: number;
  /** Set by the tracker. */
  isDone: boolean;
}

/**
 * The committable offset of one partition: messages finish in any order, and the offset advances only over a
 * finished prefix. Pure. Offsets are numbers: 2^53 is beyond any partition's life.
 */
export class OffsetTracker {
  private tickets: Ticket[] = [];
  private head = 0;
  private compactAt = FEW;
  private lastTakenOffset = -1;
  private finishedEnd = -1;
  private committedEnd = -1;

  /** The highest offset that was ever started; a record at or below it is in progress or finished. */
  get lastTaken(): number {
    return this.lastTakenOffset;
  }

  /** Everything before it is finished and committed, and is not delivered again from the same log. */
  get committedTo(): number {
    return this.committedEnd;
  }

  /** Whether any started message is not finished yet. */
  get isBusy(): boolean {
    return this.head < this.tickets.length;
  }

  /** Offsets must ascend; gaps are fine (compaction, transaction markers). */
  take(offset: number): Ticket {
    if (offset <= this.lastTakenOffset) {
      throw new RangeError(`Offset ${offset} came after ${this.lastTakenOffset}`);
    }
    this.lastTakenOffset = offset;
    const ticket = { offset, isDone: false };
    this.tickets.push(ticket);
    if (this.tickets.length >= this.compactAt) this.compact();
    return ticket;
  }

  /** Skips offsets without messages: control records of transactions, or aborted ones. */
  pass(offset: number): void {
    if (offset <= this.lastTakenOffset) return;
    this.finish(this.take(offset));
  }

  /** The group has committed everything before it, perhaps by another member, which has read on behind us. */
  resumeAt(offset: number): void {
    this.pass(offset - 1);
    this.committed(offset);
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

  /** What is at the offset and behind it is not in hand any more: whoever reads the partition gets it again. */
  drop(offset: number): void {
    if (offset > this.lastTakenOffset) return;
    this.lastTakenOffset = offset - 1;
    this.tickets = this.tickets.slice(this.head).filter((ticket) => ticket.offset < offset);
    this.head = 0;
  }

  /**
   * A message that is tried for hours would keep the tickets of all that are finished behind it: of those in a row the last one says
   * as much. Done again when twice as many are there, so that each ticket is copied twice on average.
   */
  private compact(): void {
    const kept = this.tickets.slice(this.head);
    this.tickets = kept.filter(({ isDone }, at) => !isDone || kept[at + 1]?.isDone !== true);
    this.head = 0;
    this.compactAt = FEW + 2 * this.tickets.length;
  }

  /** The offset to commit (that of the next message to be read), or undefined when nothing is new. */
  uncommitted(): number | undefined {
    return this.finishedEnd > this.committedEnd ? this.finishedEnd : undefined;
  }

  committed(end: number): void {
    this.committedEnd = Math.max(this.committedEnd, end);
  }

  /** The group may have committed no more than what is before the offset. */
  commitAgain(offset: number): void {
    this.committedEnd = Math.min(this.committedEnd, offset);
  }
}
