import { eventually, type EventuallyOptions } from '@truetally/processes';

/**
 * Of a load's clients between their requests. They are long, because a request costs the processors of all services; whoever waits for
 * answers, or is about to begin a fault, ends those that are under way, so that the fault finds every client in the middle of a request.
 */
export class Pauses {
  private readonly ends = new Set<() => void>();
  private areOver = false;

  constructor(private readonly ms: number) {}

  async pause(): Promise<void> {
    if (this.areOver) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.ends.delete(end);
        resolve();
      };
      const timer = setTimeout(end, this.ms);
      this.ends.add(end);
    });
  }

  /** Waits for answers: nobody pauses meanwhile. */
  async until(areThere: () => boolean | Promise<boolean>, options: EventuallyOptions): Promise<void> {
    await eventually(() => {
      this.end();
      return areThere();
    }, options);
  }

  end(): void {
    for (const end of [...this.ends]) end();
  }

  /** There are none any more. */
  stop(): void {
    this.areOver = true;
    this.end();
  }
}
