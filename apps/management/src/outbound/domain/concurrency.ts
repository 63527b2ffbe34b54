const FIRST_LIMIT = 8;
const MIN_LIMIT = 2;
const MAX_LIMIT = 32;

/**
 * How many deliveries of one workflow may be under way: more with each success, half with each failure. An endpoint that hangs
 * soon holds two connections, and a fast one as many as it can use.
 */
export class AdaptiveLimit {
  private limit = FIRST_LIMIT;
  private underWay = 0;

  get free(): number {
    return Math.max(0, Math.floor(this.limit) - this.underWay);
  }

  get isIdle(): boolean {
    return this.underWay === 0;
  }

  /** Whether forgetting it changes nothing. */
  get isUsual(): boolean {
    return this.limit >= FIRST_LIMIT;
  }

  begin(): void {
    this.underWay += 1;
  }

  end(succeeded: boolean): void {
    this.underWay -= 1;
    this.limit = succeeded ? Math.min(MAX_LIMIT, this.limit + 1) : Math.max(MIN_LIMIT, this.limit / 2);
  }
}

/** Of a workflow about which nothing is known yet. */
export const INITIAL_LIMIT = FIRST_LIMIT;
