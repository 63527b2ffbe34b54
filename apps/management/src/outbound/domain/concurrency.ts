const FIRST_LIMIT = 8;
const MIN_LIMIT = 2;
const MAX_LIMIT = 32;
/** Longer than any wait between two attempts: what was learned of an endpoint before it is learned again. */
const MEMORY_MS = 7_200_000;

/**
 * How many deliveries of one workflow may be under way: more with each success, half with each failure. An endpoint that hangs
 * soon holds two connections, and a fast one as many as it can use.
 */
export class AdaptiveLimit {
  private limit = FIRST_LIMIT;
  private underWay = 0;
  private idleSinceMs = 0;

  get free(): number {
    return Math.max(0, Math.floor(this.limit) - this.underWay);
  }

  /** Whether nothing is under way, and forgetting it changes nothing, or it was idle for hours: its workflow may be gone. */
  isForgettable(nowMs: number): boolean {
    if (this.underWay > 0) return false;
    return this.limit >= FIRST_LIMIT || nowMs - this.idleSinceMs > MEMORY_MS;
  }

  begin(): void {
    this.underWay += 1;
  }

  end(succeeded: boolean, nowMs: number): void {
    this.underWay -= 1;
    this.idleSinceMs = nowMs;
    this.limit = succeeded ? Math.min(MAX_LIMIT, this.limit + 1) : Math.max(MIN_LIMIT, this.limit / 2);
  }
}

/** Of a workflow about which nothing is known yet. */
export const INITIAL_LIMIT = FIRST_LIMIT;
