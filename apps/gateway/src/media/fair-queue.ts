type Task = () => Promise<void>;

/**
 * Runs a few tasks at a time, alternating between the workspaces with waiting tasks: a workspace with many
 * delays only itself. The caller bounds the number of waiting tasks.
 */
export class FairQueue {
  private running = 0;
  /** In the order of their turns. */
  private readonly waiting = new Map<string, (() => void)[]>();

  constructor(private readonly atOnce: number) {}

  /** Settles like the task. */
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

  /** Runs the next workspace's task and moves that workspace to the end. */
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
