/** Network conditions in one direction. */
export interface Weather {
  readonly delayMs: number;
  /** Additional random delay, at most. */
  readonly jitterMs: number;
  /** Share of sends that are lost at first, from 0 to 1: TCP retransmits them, and all later data waits. */
  readonly lossRate: number;
}

/** The shortest retransmission timeout of Linux. */
const RETRANSMISSION_MS = 200;

/** Delays the data that passes through, in order. */
export class DelayLine {
  private readonly waiting: { readonly dueMs: number; readonly deliver: () => void }[] = [];
  private lastDueMs = 0;

  constructor(private readonly weather: () => Weather | undefined) {}

  pass(deliver: () => void): void {
    const weather = this.weather();
    if (weather === undefined && this.waiting.length === 0) {
      deliver();
      return;
    }
    const dueMs = Math.max(this.lastDueMs, performance.now() + latencyOf(weather));
    this.lastDueMs = dueMs;
    this.waiting.push({ dueMs, deliver });
    if (this.waiting.length === 1) this.wait(dueMs);
  }

  private wait(dueMs: number): void {
    setTimeout(() => {
      const nowMs = performance.now();
      for (let first = this.waiting[0]; first !== undefined; first = this.waiting[0]) {
        if (first.dueMs > nowMs) return this.wait(first.dueMs);
        first.deliver();
        this.waiting.shift();
      }
    }, dueMs - performance.now());
  }
}

function latencyOf(weather: Weather | undefined): number {
  if (weather === undefined) return 0;
  const { delayMs, jitterMs, lossRate } = weather;
  const again = Math.random() < lossRate ? RETRANSMISSION_MS : 0;
  return delayMs + Math.random() * jitterMs + again;
}
