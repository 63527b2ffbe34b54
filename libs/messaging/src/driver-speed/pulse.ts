/** Those that share an interval. */
class Pulse {
  private readonly calls = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly intervalMs: number) {}

  add(call: () => void): void {
    this.calls.add(call);
    if (this.calls.size === 1) this.schedule();
  }

  remove(call: () => void): void {
    this.calls.delete(call);
    if (this.calls.size === 0) clearTimeout(this.timer);
  }

  private schedule(): void {
    this.timer = setTimeout(
      () => {
        this.schedule();
        for (const call of this.calls) call();
      },
      this.intervalMs - (performance.now() % this.intervalMs),
    );
    // What is called concerns open connections, which keep the process alive.
    this.timer.unref();
  }
}

const PULSES = new Map<number, Pulse>();

/**
 * Like `setInterval`, but all of a process that have one interval are called together: an idle process spends most of its
 * time on waking up, and so does the broker that it then asks.
 * @returns ends it
 */
export function inStep(intervalMs: number, call: () => void): () => void {
  const pulse = PULSES.get(intervalMs) ?? new Pulse(intervalMs);
  PULSES.set(intervalMs, pulse);
  pulse.add(call);
  return () => {
    pulse.remove(call);
  };
}
