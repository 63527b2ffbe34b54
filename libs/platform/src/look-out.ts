/** Looks from time to time for work that nobody is woken for. */
export interface LookOut {
  /** Call it when there was something: more may follow. */
  found(): void;
  end(): void;
}

/** What was begun is over, or waits for longer than this. */
const QUIET_MS = 10_000;
/** A multiple of other intervals of an idle process, which then wakes once for all of them. */
const IDLE_MS = 3_000;

/**
 * @param everyMs between two looks while there is work
 * @param sinceFoundMs since something was found
 * @returns until the next look: three seconds at least where nothing was found for ten
 */
export function lookInterval(everyMs: number, sinceFoundMs: number): number {
  return sinceFoundMs < QUIET_MS ? everyMs : Math.max(everyMs, IDLE_MS);
}

/**
 * Calls at an interval, and where nothing was found for ten seconds each three: a look wakes this process and another one, which an
 * idle installation pays for day and night. It keeps no process alive.
 */
export function lookOut(everyMs: number, look: () => void): LookOut {
  let foundMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const schedule = (): void => {
    clearTimeout(timer);
    const nowMs = performance.now();
    const intervalMs = lookInterval(everyMs, nowMs - foundMs);
    timer = setTimeout(
      () => {
        schedule();
        look();
      },
      // A timer may end a moment too early, and the next one is then not this one again.
      Math.ceil(intervalMs - (nowMs % intervalMs)) + 1,
    ).unref();
  };
  schedule();
  return {
    found: () => {
      const isIdle = performance.now() - foundMs >= QUIET_MS;
      foundMs = performance.now();
      if (isIdle) schedule();
    },
    end: () => {
      clearTimeout(timer);
    },
  };
}
