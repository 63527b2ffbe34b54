/**
 * Runs a few tasks at a time, alternating between the holders (workspaces, sites) with waiting tasks: one with many
 * delays only itself. The caller bounds the number of waiting tasks.
 */
export class FairQueue {
  private running = 0;
  /** In the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly atOnce: number) {}

  /** Settles like the task. */
  async run<T>(holder: string, task: () => Promise<T>): Promise<T> {
    if (this.running >= this.atOnce) await this.turnOf(holder);
    else this.running += 1;
    try {
      return await task();
    } finally {
      this.passOn();
    }
  }

  private turnOf(holder: string): Promise<void> {
    return new Promise((resolve) => {
      const others = this.waiting.get(holder);
      if (others === undefined) this.waiting.set(holder, [resolve]);
      else others.push(resolve);
    });
  }

  /** Runs the next holder's task and moves that holder to the end. */
  private passOn(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.running -= 1;
      return;
    }
    const [holder, [first, ...rest]] = next;
    this.waiting.delete(holder);
    if (rest.length > 0) this.waiting.set(holder, rest);
    first?.();
  }
}
