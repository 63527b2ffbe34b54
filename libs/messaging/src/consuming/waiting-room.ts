import { copyOut } from '../driver-speed/decode-batch.js';
import { type OffsetTracker } from './offset-tracker.js';
import { type Work } from './work.js';

/** What one call of a handler takes at most, if it takes more than one message. */
export interface CallBounds {
  readonly weight: number;
  readonly bytes: number;
}

/** Places that are added before empty ones are looked for again: as many answers may be kept by messages that wait. */
const FEW = 64;

/** Fetched messages that wait for their turn, in order of arrival. */
export class WaitingRoom<T> {
  private works: (Work<T> | undefined)[] = [];
  private head = 0;
  private compactAt = FEW;
  private waitingWeight = 0;
  private waitingBytes = 0;
  private readonly busyLanes = new Set<string>();
  private inProgress = 0;
  private readonly inProgressOf = new Map<string, number>();

  /** @param places messages that may be in progress; a holder has half of those that the others leave, so that another's begins at once */
  constructor(private readonly places: number) {}

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
    if (this.works.length >= this.compactAt) this.compact();
  }

  /**
   * The next messages up to those bounds, at least one if any is ready. Each lane has at most one message in
   * progress, until `leave`, and each holder its share; later ones wait, and those of others overtake them, but not in their lane.
   */
  next(most: CallBounds): readonly Work<T>[] {
    const taken: Work<T>[] = [];
    let weight = 0;
    let bytes = 0;
    /** In which an earlier message waits for a place of its holder: those of other holders wait behind it. */
    const waiting = new Set<string>();
    for (let index = this.head; index < this.works.length; index++) {
      const work = this.works[index];
      if (work === undefined) continue;
      const { lane } = work;
      if (lane !== undefined && (this.busyLanes.has(lane) || waiting.has(lane))) continue;
      if (!this.hasPlace(work)) {
        if (lane !== undefined) waiting.add(lane);
        continue;
      }
      if (taken.length > 0 && (weight + work.weight > most.weight || bytes + work.bytes > most.bytes)) break;
      weight += work.weight;
      bytes += work.bytes;
      taken.push(work);
      this.works[index] = undefined;
      this.begin(work);
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

  /** It is not in progress any more. */
  leave({ lane, holder }: Work<T>): void {
    if (lane !== undefined) this.busyLanes.delete(lane);
    this.count(holder, -1);
  }

  private hasPlace({ holder }: Work<T>): boolean {
    const own = holder === undefined ? 0 : (this.inProgressOf.get(holder) ?? 0);
    return own === 0 || own < (this.places - this.inProgress + own) >> 1;
  }

  private begin({ lane, holder }: Work<T>): void {
    if (lane !== undefined) this.busyLanes.add(lane);
    this.count(holder, 1);
  }

  private count(holder: string | undefined, change: 1 | -1): void {
    this.inProgress += change;
    if (holder === undefined) return;
    const own = (this.inProgressOf.get(holder) ?? 0) + change;
    if (own > 0) this.inProgressOf.set(holder, own);
    else this.inProgressOf.delete(holder);
  }

  /**
   * One that waits for hours would keep the places of all that have begun behind it, and each call would pass them; and it would
   * keep the whole answer in which it came.
   */
  private compact(): void {
    const left = this.works.filter((work) => work !== undefined);
    for (const { message } of left) copyOut(message);
    this.works = left;
    this.head = 0;
    this.compactAt = FEW + left.length;
  }

  private sweep(): void {
    while (this.head < this.works.length && this.works[this.head] === undefined) this.head++;
    if (this.head * 2 > this.works.length) {
      this.works = this.works.slice(this.head);
      this.head = 0;
    }
  }
}

type Held = Pick<Work<unknown>, 'weight' | 'bytes' | 'holder'>;

/** Messages that are fetched and unfinished: what they hold, and of whom. Pure. */
export class InHand {
  private count = 0;
  private readonly all = { weight: 0, bytes: 0 };
  private readonly ofHolders = new Map<string, { weight: number; bytes: number }>();

  /** @param most at which fetching pauses */
  constructor(private readonly most: CallBounds) {}

  get weight(): number {
    return this.all.weight;
  }

  get isEmpty(): boolean {
    return this.count === 0;
  }

  get hasRoom(): boolean {
    return this.all.weight < this.most.weight && this.all.bytes < this.most.bytes;
  }

  /** Whether its holder would have more than half of what the others leave. A first message never is. */
  isBeyondShare({ weight, bytes, holder }: Held): boolean {
    const own = holder === undefined ? undefined : this.ofHolders.get(holder);
    if (own === undefined) return false;
    const { most, all } = this;
    return (
      2 * (own.weight + weight) > most.weight - (all.weight - own.weight) ||
      2 * (own.bytes + bytes) > most.bytes - (all.bytes - own.bytes)
    );
  }

  take(message: Held): void {
    this.change(message, 1);
  }

  leave(message: Held): void {
    this.change(message, -1);
  }

  private change({ weight, bytes, holder }: Held, sign: 1 | -1): void {
    this.count += sign;
    this.all.weight += sign * weight;
    this.all.bytes += sign * bytes;
    if (holder === undefined) return;
    const own = this.ofHolders.get(holder) ?? { weight: 0, bytes: 0 };
    own.weight += sign * weight;
    own.bytes += sign * bytes;
    // Each weighs one at least.
    if (own.weight > 0) this.ofHolders.set(holder, own);
    else this.ofHolders.delete(holder);
  }
}
