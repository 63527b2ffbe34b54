import { type OffsetTracker } from './offset-tracker.js';
import { type Work } from './work.js';

/** What one call of a handler takes at most, if it takes more than one message. */
export interface CallBounds {
  readonly weight: number;
  readonly bytes: number;
}

/** Fetched messages that wait for their turn, in order of arrival. */
export class WaitingRoom<T> {
  private works: (Work<T> | undefined)[] = [];
  private head = 0;
  private waitingWeight = 0;
  private waitingBytes = 0;
  private readonly busyLanes = new Set<string>();

  /** Whether the messages that wait are enough for a call. */
  fills(most: CallBounds): boolean {
    return this.waitingWeight >= most.weight || this.waitingBytes >= most.bytes;
  }

  get isEmpty(): boolean {
    return this.waitingWeight === 0;
  }

  enter(works: readonly Work<T>[]): void {
    for (const work of works) {
      this.works.push(work);
      this.waitingWeight += work.weight;
      this.waitingBytes += work.bytes;
    }
  }

  /**
   * The next messages up to those bounds, at least one if any is ready. Each lane has at most one message in
   * progress, until `leaveLane`; later ones of the lane wait, and other lanes overtake them.
   */
  next(most: CallBounds): readonly Work<T>[] {
    const taken: Work<T>[] = [];
    let weight = 0;
    let bytes = 0;
    for (let index = this.head; index < this.works.length; index++) {
      const work = this.works[index];
      if (work === undefined || (work.lane !== undefined && this.busyLanes.has(work.lane))) continue;
      if (taken.length > 0 && (weight + work.weight > most.weight || bytes + work.bytes > most.bytes)) break;
      weight += work.weight;
      bytes += work.bytes;
      taken.push(work);
      this.works[index] = undefined;
      if (work.lane !== undefined) this.busyLanes.add(work.lane);
      if (weight >= most.weight || bytes >= most.bytes) break;
    }
    this.waitingWeight -= weight;
    this.waitingBytes -= bytes;
    this.sweep();
    return taken;
  }

  /** @returns the messages of these trackers, which do not wait any more, in order of arrival */
  dismiss(trackers: ReadonlySet<OffsetTracker>): readonly Work<T>[] {
    const dismissed: Work<T>[] = [];
    this.works = this.works.slice(this.head).filter((work) => {
      if (work === undefined || !trackers.has(work.tracker)) return true;
      dismissed.push(work);
      this.waitingWeight -= work.weight;
      this.waitingBytes -= work.bytes;
      return false;
    });
    this.head = 0;
    return dismissed;
  }

  leaveLane(lane: string | undefined): void {
    if (lane !== undefined) this.busyLanes.delete(lane);
  }

  private sweep(): void {
    while (this.head < this.works.length && this.works[this.head] === undefined) this.head++;
    if (this.head * 2 > this.works.length) {
      this.works = this.works.slice(this.head);
      this.head = 0;
    }
  }
}
