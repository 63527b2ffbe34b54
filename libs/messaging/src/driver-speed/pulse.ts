/** Those that share an interval. */
class Pulse {
  private readonly calls = new Set<() => void>();
  private timer: NodeJS.Timeout | undefined;
  /** On the monotonic clock: multiples of the interval, so that pulses of several intervals meet. */
  private nextMs = 0;

  constructor(private readonly intervalMs: number) {}

  add(call: () => void): void {
    this.calls.add(call);
    if (this.calls.size > 1) return;
    this.nextMs = 0;
    this.schedule();
  }

  remove(call: () => void): void {
    this.calls.delete(call);
    if (this.calls.size === 0) clearTimeout(this.timer);
  }

  /** A timer may end a moment too early: the next one is then not this one again. */
  private schedule(): void {
    const nowMs = performance.now();
    const passed = Math.floor(nowMs / this.intervalMs) * this.intervalMs;
    this.nextMs = passed + this.intervalMs * (passed < this.nextMs ? 2 : 1);
    this.timer = setTimeout(() => {
      this.schedule();
      for (const call of this.calls) call();
    }, this.nextMs - nowMs);
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
