import { type Work } from './work.js';

/** Fetched messages that wait for their turn, in order of arrival. */
export class WaitingRoom<T> {
  private works: (Work<T> | undefined)[] = [];
  private head = 0;
  private waitingWeight = 0;
  private readonly busyLanes = new Set<string>();

  /** Of the messages that wait. */
  get weight(): number {
    return this.waitingWeight;
  }

  enter(works: readonly Work<T>[]): void {
    for (const work of works) {
      this.works.push(work);
      this.waitingWeight += work.weight;
    }
  }

  /**
   * The next messages up to that weight, at least one if any is ready. Each lane has at most one message in
   * progress, until `leaveLane`; later ones of the lane wait, and other lanes overtake them.
   */
  next(maxWeight: number): readonly Work<T>[] {
    const taken: Work<T>[] = [];
    let weight = 0;
    for (let index = this.head; index < this.works.length; index++) {
      const work = this.works[index];
      if (work === undefined || (work.lane !== undefined && this.busyLanes.has(work.lane))) continue;
      if (taken.length > 0 && weight + work.weight > maxWeight) break;
      weight += work.weight;
      taken.push(work);
      this.works[index] = undefined;
      if (work.lane !== undefined) this.busyLanes.add(work.lane);
      if (weight >= maxWeight) break;
    }
    this.waitingWeight -= weight;
    this.sweep();
    return taken;
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
