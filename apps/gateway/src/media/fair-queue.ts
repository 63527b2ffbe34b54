type Task = () => Promise<void>;

/**
 * Lets a few tasks run at a time, and each workspace that has some waiting in its turn: whoever brings many waits for
 * them alone. How many may wait is bounded by whoever hands them over.
 */
export class FairQueue {
  private running = 0;
  /** In the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly atOnce: number) {}

  /** Resolves or rejects as the task does. */
  async run(workspaceId: string, task: Task): Promise<void> {
    if (this.running >= this.atOnce) await this.turnOf(workspaceId);
    else this.running += 1;
    try {
      await task();
    } finally {
      this.passOn();
    }
  }

  private turnOf(workspaceId: string): Promise<void> {
    return new Promise((resolve) => {
      const others = this.waiting.get(workspaceId);
      if (others === undefined) this.waiting.set(workspaceId, [resolve]);
      else others.push(resolve);
    });
  }

  /** To the workspace whose turn it is, which goes behind all others. */
  private passOn(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.running -= 1;
      return;
    }
    const [workspaceId, [first, ...rest]] = next;
    this.waiting.delete(workspaceId);
    if (rest.length > 0) this.waiting.set(workspaceId, rest);
    first?.();
  }
}
