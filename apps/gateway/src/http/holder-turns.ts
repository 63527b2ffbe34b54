/** Who answers for the requests that come, with or without a turn. */
export interface SeenHolders {
  note(name: string): void;
  /** For so long nobody else than this one was here. */
  aloneForMs(name: string): number;
}

export interface TurnBounds {
  /** Requests of a holder under way, by what they weigh: one at least, whatever it weighs. */
  readonly atOnce: number;
  /** The same of a holder that is alone. */
  readonly atOnceAlone: number;
  /** What the bodies of a holder's requests under way may have together, in bytes: one at least, however large. */
  readonly bodiesAtOnce: number;
  /** Its requests that wait for their turn, by what they weigh. */
  readonly waiting: number;
  /** Those of all holders. */
  readonly waitingInAll: number;
  readonly longestWaitMs: number;
  /** What its answers may take for long, and at once after a pause. */
  readonly bytesPerSecond: number;
  readonly burstBytes: number;
  /** Nobody else was there for so long: whoever is alone has no pace. */
  readonly aloneMs: number;
}

const MEBIBYTE = 1024 * 1024;
export const TURN_BOUNDS: TurnBounds = {
  atOnce: 16,
  atOnceAlone: 16,
  // A service has each in its hands until it is answered, and refuses what is beyond 8 MiB of an owner: three gateways stay below.
  bodiesAtOnce: 2.5 * MEBIBYTE,
  waiting: 1_000,
  waitingInAll: Infinity,
  longestWaitMs: 20_000,
  bytesPerSecond: 4 * MEBIBYTE,
  burstBytes: 16 * MEBIBYTE,
  aloneMs: 1_000,
};
/**
 * Of batches, each weighing its bytes and 1 KiB for each event: about what storing it costs. Another shop's event waits for two mebibytes of
 * an owner's at most. They wait with their bodies in memory.
 */
export const BATCH_BOUNDS: TurnBounds = {
  atOnce: 2 * MEBIBYTE,
  atOnceAlone: Infinity,
  bodiesAtOnce: Infinity,
  waiting: 32 * MEBIBYTE,
  waitingInAll: 64 * MEBIBYTE,
  longestWaitMs: 10_000,
  // Their answers are small.
  bytesPerSecond: MEBIBYTE,
  burstBytes: Infinity,
  // Also a shop that sends an event now and then is somebody else.
  aloneMs: 10_000,
};
const MS_PER_SECOND = 1_000;

interface Waiting {
  readonly weight: number;
  readonly bodyBytes: number;
  readonly begin: () => void;
  readonly timer: NodeJS.Timeout;
}

interface Holder {
  /** The weight of its requests under way, and of those that wait. */
  running: number;
  held: number;
  /** Bytes of the bodies of its requests under way. */
  bodies: number;
  /** Bytes of its answers that its pace has not paid for yet, those of running requests as they are expected. */
  owedBytes: number;
  atMs: number;
  /** Of its last answer: what the next one is expected to take. */
  lastBytes: number;
  /** In the order of their arrival. */
  readonly waiting: Set<Waiting>;
  timer: NodeJS.Timeout | undefined;
}

/** Gives the turn back, with what the answer took; more calls do nothing. */
export type EndTurn = (bytes: number) => void;

/**
 * Turns of those who are accountable for requests: each has a bounded number under way, and, while others are there, a pace by the
 * bytes of its answers, beyond which its next request waits. Whoever asks for one thing after the other waits for nothing but its pace, and nobody waits for
 * another's.
 */
export class HolderTurns {
  private readonly holders = new Map<string, Holder>();
  private heldInAll = 0;

  /** @param monotonicMs milliseconds of a monotonic clock */
  constructor(
    private readonly monotonicMs: () => number,
    private readonly presence: SeenHolders,
    private readonly bounds: TurnBounds = TURN_BOUNDS,
  ) {}

  /** Somebody is here, with or without a turn. */
  note(name: string): void {
    this.presence.note(name);
  }

  /**
   * The end of the turn, at once or when it is there; undefined when too many wait, or it waits for too long.
   * @param bodyBytes 0 for a body that is too small to wait for others
   */
  take(name: string, weight = 1, bodyBytes = 0): EndTurn | undefined | Promise<EndTurn | undefined> {
    this.note(name);
    const holder = this.holderOf(name);
    const isNext = holder.waiting.size === 0 && this.hasRoomForBody(holder, bodyBytes);
    if (isNext && this.hasRoom(name, holder, weight)) return this.begin(name, holder, weight, bodyBytes);
    const { waiting: most, waitingInAll, longestWaitMs } = this.bounds;
    if (holder.held + weight > most || this.heldInAll + weight > waitingInAll) return undefined;
    return new Promise((resolve) => {
      const waiting: Waiting = {
        weight,
        bodyBytes,
        begin: () => {
          clearTimeout(waiting.timer);
          resolve(this.begin(name, holder, weight, bodyBytes));
        },
        timer: setTimeout(() => {
          this.holdNoMore(holder, waiting);
          this.forgetIdle(name, holder);
          resolve(undefined);
        }, longestWaitMs),
      };
      holder.waiting.add(waiting);
      holder.held += weight;
      this.heldInAll += weight;
      this.beginNext(name, holder);
    });
  }

  private holdNoMore(holder: Holder, waiting: Waiting): void {
    holder.waiting.delete(waiting);
    holder.held -= waiting.weight;
    this.heldInAll -= waiting.weight;
  }

  /** For what takes no turn, or has given it back: its bytes are paid for before the holder's next turn. */
  owe(name: string, bytes: number): void {
    const holder = this.holderOf(name);
    this.pay(holder);
    this.charge(holder, bytes);
    this.forgetIdle(name, holder);
  }

  private holderOf(name: string): Holder {
    const known = this.holders.get(name);
    if (known !== undefined) return known;
    const holder: Holder = {
      running: 0,
      held: 0,
      bodies: 0,
      owedBytes: 0,
      atMs: this.monotonicMs(),
      lastBytes: 0,
      waiting: new Set(),
      timer: undefined,
    };
    this.holders.set(name, holder);
    return holder;
  }

  private hasRoomForBody({ bodies }: Holder, bytes: number): boolean {
    return bytes === 0 || bodies === 0 || bodies + bytes <= this.bounds.bodiesAtOnce;
  }

  private hasRoom(name: string, holder: Holder, weight: number): boolean {
    const { atOnce, atOnceAlone, burstBytes, aloneMs } = this.bounds;
    this.pay(holder);
    const isAlone = this.presence.aloneForMs(name) >= aloneMs;
    if (holder.running > 0 && holder.running + weight > (isAlone ? atOnceAlone : atOnce)) return false;
    return isAlone || holder.owedBytes <= burstBytes;
  }

  /**
   * However much it was, it is paid within half of the time that a request may wait: what is permitted is answered. Time may have
   * paid more than a request took of what was expected: that is no credit.
   */
  private charge(holder: Holder, bytes: number): void {
    const { burstBytes, bytesPerSecond, longestWaitMs } = this.bounds;
    const mostBytes = burstBytes + (bytesPerSecond * longestWaitMs) / (2 * MS_PER_SECOND);
    const owed = Math.min(holder.owedBytes + bytes, Math.max(holder.owedBytes, mostBytes));
    holder.owedBytes = Math.max(0, owed);
  }

  /** By the time that has passed. */
  private pay(holder: Holder): void {
    const nowMs = this.monotonicMs();
    const paid = ((nowMs - holder.atMs) / MS_PER_SECOND) * this.bounds.bytesPerSecond;
    holder.owedBytes = Math.max(0, holder.owedBytes - paid);
    holder.atMs = nowMs;
  }

  private begin(name: string, holder: Holder, weight: number, bodyBytes: number): EndTurn {
    const expected = holder.lastBytes;
    holder.running += weight;
    holder.bodies += bodyBytes;
    holder.owedBytes += expected;
    let isOver = false;
    return (bytes) => {
      if (isOver) return;
      isOver = true;
      holder.running -= weight;
      holder.bodies -= bodyBytes;
      holder.owedBytes -= expected;
      this.charge(holder, bytes);
      holder.lastBytes = bytes;
      this.beginNext(name, holder);
      this.forgetIdle(name, holder);
    };
  }

  private beginNext(name: string, holder: Holder): void {
    const { atOnce, bytesPerSecond, burstBytes, aloneMs } = this.bounds;
    let isBodyWaiting = false;
    for (const waiting of holder.waiting) {
      // Other bodies wait behind it; what has none passes it, so that nobody's pages wait for an import.
      isBodyWaiting ||= !this.hasRoomForBody(holder, waiting.bodyBytes);
      if (isBodyWaiting && waiting.bodyBytes > 0) continue;
      if (!this.hasRoom(name, holder, waiting.weight)) break;
      this.holdNoMore(holder, waiting);
      waiting.begin();
    }
    const waitsForPace = holder.running < atOnce && holder.owedBytes > burstBytes;
    if (holder.waiting.size === 0 || !waitsForPace) return;
    // Also the timer by which it would have been forgotten.
    clearTimeout(holder.timer);
    const waitMs = ((holder.owedBytes - burstBytes) / bytesPerSecond) * MS_PER_SECOND;
    const lookMs = Math.min(aloneMs, Math.max(1, Math.ceil(waitMs)));
    holder.timer = setTimeout(() => this.beginNext(name, holder), lookMs);
  }

  /** Who owes nothing is as good as unknown; its debt is forgotten by the time that it would be paid. */
  private forgetIdle(name: string, holder: Holder): void {
    if (holder.running > 0 || holder.waiting.size > 0) return;
    clearTimeout(holder.timer);
    const paidMs = (holder.owedBytes / this.bounds.bytesPerSecond) * MS_PER_SECOND;
    holder.timer = setTimeout(() => {
      if (holder.running === 0 && holder.waiting.size === 0) this.holders.delete(name);
      else this.beginNext(name, holder);
    }, Math.ceil(paidMs)).unref();
  }
}
