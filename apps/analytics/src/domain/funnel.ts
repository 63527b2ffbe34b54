/** An event of a session that is one of the steps. */
export interface StepEvent {
  readonly sessionKey: string;
  readonly eventType: string;
  /** Microseconds since 1970. */
  readonly at: number;
  /** What a breakdown shows of it, where the funnel begins here. */
  readonly value: string | null;
}

/** Sessions that reached each step. */
export type StepCounts = readonly number[];

/**
 * Counts the sessions that took the steps in order, from any first step, each later one at most the window after it.
 * Of all chains that reached a step only the one that began last can reach further, so that one moment per step is
 * kept, and each event is read once.
 */
export class FunnelFold {
  private readonly byValue = new Map<string | null, number[]>();
  private sessionKey: string | undefined;
  private chains: (Chain | undefined)[] = [];
  private best: { readonly steps: number; readonly value: string | null } = NOTHING;

  constructor(
    private readonly steps: readonly string[],
    private readonly windowMicros: number,
  ) {}

  /** The events of a session come one after the other, in their order. */
  take(event: StepEvent): void {
    if (event.sessionKey !== this.sessionKey) this.begin(event.sessionKey);
    // From the last step: an event is one step of a chain, not two.
    for (let step = this.steps.length - 1; step >= 0; step -= 1) {
      if (this.steps[step] !== event.eventType) continue;
      const chain = step === 0 ? { start: event.at, value: event.value } : this.chains[step - 1];
      if (chain === undefined || event.at - chain.start > this.windowMicros) continue;
      const known = this.chains[step];
      if (known === undefined || known.start <= chain.start) this.chains[step] = chain;
      if (step + 1 > this.best.steps) this.best = { steps: step + 1, value: chain.value };
    }
  }

  /** Sessions by step, for each value at which their longest chain began. */
  finish(): ReadonlyMap<string | null, StepCounts> {
    this.begin(undefined);
    return this.byValue;
  }

  private begin(sessionKey: string | undefined): void {
    if (this.best.steps > 0) {
      const { value: named } = this.best;
      const value = this.byValue.size < MAX_FUNNEL_VALUES || this.byValue.has(named) ? named : null;
      const counts = this.byValue.get(value) ?? this.steps.map(() => 0);
      for (let step = 0; step < this.best.steps; step += 1) counts[step] = (counts[step] ?? 0) + 1;
      this.byValue.set(value, counts);
    }
    this.sessionKey = sessionKey;
    this.chains = [];
    this.best = NOTHING;
  }
}

/** Devices are named by clients: further values count together, as null. */
export const MAX_FUNNEL_VALUES = 10_000;

interface Chain {
  readonly start: number;
  readonly value: string | null;
}

const NOTHING = { steps: 0, value: null };
