import { formatInstant } from '@truetally/kernel';
import type { Logger } from '@truetally/platform';
import type { Run } from '../domain/check-piece.js';
import type { DueChain, VerificationStore, VerificationTimes } from '../storage/verification.store.js';
import { type ChainVerifier, runFrom } from './chain-verifier.js';

/**
 * Interface page, section 6: what was added at least hourly, each whole chain at least every 7 days. Both leave time for a
 * replica that is restarted, and for chains that wait for others.
 */
export const VERIFICATION_TIMES: VerificationTimes = {
  // A shop's first orders often come many at once, and what comes behind a verification waits for the next one.
  firstAfterSeconds: 120,
  newerAfterSeconds: 1_800,
  wholeAfterSeconds: 6 * 86_400,
};

export interface ScheduleOptions {
  readonly verifier: ChainVerifier;
  readonly results: VerificationStore;
  readonly log: Pick<Logger, 'warn'>;
  readonly times: VerificationTimes;
  /** Receives the number of chains with a broken record, after each look. */
  readonly onBroken: (chains: number) => void;
}

const LOOK_MS = 30_000;
/** A verification takes at most a quarter of the time: recording comes first. */
const PAUSES_PER_PIECE = 3;

/** Verifies the chains that are due, one after another; of several replicas one verifies each. */
export class VerificationSchedule {
  private readonly stopping = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | undefined;

  constructor(private readonly options: ScheduleOptions) {}

  start(): this {
    this.timer = setInterval(() => {
      this.looking ??= this.look().finally(() => {
        this.looking = undefined;
      });
    }, LOOK_MS);
    this.timer.unref();
    return this;
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.stopping.abort();
    await this.looking;
  }

  /** Verifies every chain that is due. */
  async look(): Promise<void> {
    const { results, times, onBroken, log } = this.options;
    try {
      await results.addNewChains(times);
      // Ends: a verified chain is due again only after its time.
      for (let due = await results.takeDue(); due !== undefined; due = await results.takeDue()) {
        await this.verify(due);
        if (this.stopping.signal.aborted) return;
      }
      onBroken(await results.countBroken());
    } catch (error) {
      log.warn({ err: error }, 'Chains that are due could not be verified; it is tried again.');
    }
  }

  private async verify({ siteId, run, isWhole, sound }: DueChain): Promise<void> {
    const { verifier, results, times } = this.options;
    let current = run ?? begin(isWhole, sound);
    while (!this.stopping.signal.aborted) {
      const startedAt = performance.now();
      const { run: next, isEnded } = await verifier.next(siteId, current);
      if (isEnded) return results.planNext(siteId, isWhole, times);
      await results.saveProgress(siteId, next);
      current = next;
      await this.pause((performance.now() - startedAt) * PAUSES_PER_PIECE);
    }
  }

  private pause(ms: number): Promise<void> {
    const { signal } = this.stopping;
    return new Promise((resolve) => {
      const timer = setTimeout(done, ms);
      signal.addEventListener('abort', done, { once: true });
      function done(): void {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      }
    });
  }
}

function begin(isWhole: boolean, { sequence, hash }: DueChain['sound']): Run {
  const startedAt = formatInstant(Date.now());
  if (isWhole) return runFrom('1', startedAt);
  const from = String(BigInt(sequence) + 1n);
  return { from, place: { sequence, hash, recordedAt: '' }, startedAt };
}
