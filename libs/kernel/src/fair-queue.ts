/**
 * Runs a few tasks at a time, alternating between the holders (workspaces, sites) with waiting tasks: one with many
 * delays only itself. The caller bounds the number of waiting tasks.
 */
export class FairQueue {
  private running = 0;
  private readonly runningOf = new Map<string, number>();
  /** In the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();

  /** @param ofHolder tasks of one holder at a time, of what others leave in proportion: with fewer than all, another's begins at once */
  constructor(
    private readonly atOnce: number,
    private readonly ofHolder = atOnce,
  ) {}

  /** Settles like the task. */
  async run<T>(holder: string, task: () => Promise<T>): Promise<T> {
    if (this.hasRoom(holder)) this.count(holder, 1);
    else await this.turnOf(holder);
    try {
      return await task();
    } finally {
      this.count(holder, -1);
      this.passOn();
    }
  }

  private hasRoom(holder: string): boolean {
    const own = this.runningOf.get(holder) ?? 0;
    const left = this.atOnce - this.running + own;
    return own < left && own < Math.max(1, Math.floor((left * this.ofHolder) / this.atOnce));
  }

  private count(holder: string, change: 1 | -1): void {
    this.running += change;
    const share = (this.runningOf.get(holder) ?? 0) + change;
    if (share > 0) this.runningOf.set(holder, share);
    else this.runningOf.delete(holder);
  }

  private turnOf(holder: string): Promise<void> {
    return new Promise((resolve) => {
      const others = this.waiting.get(holder);
      if (others === undefined) this.waiting.set(holder, [resolve]);
      else others.push(resolve);
    });
  }

  /** Runs the next task of each holder that may have one more, and moves that holder to the end. */
  private passOn(): void {
    for (const [holder, [first, ...rest]] of this.waiting) {
      if (!this.hasRoom(holder)) continue;
      this.waiting.delete(holder);
      if (rest.length > 0) this.waiting.set(holder, rest);
      this.count(holder, 1);
      first?.();
    }
  }
}
