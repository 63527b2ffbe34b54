import type { Logger } from './logger.js';

export interface Repetition {
  /** Begins a run; one that is under way is followed by another. */
  wake(): void;
  /** Tells the run under way to end. Resolves when it has ended. */
  close(): Promise<void>;
}

export interface RepetitionOptions {
  readonly everyMs: number;
  readonly log: Pick<Logger, 'warn'>;
  /** Logged of a run that fails; the next one tries it again. */
  readonly failure: string;
}

/** Does work in the background at an interval, one run at a time. It keeps no process alive. */
export function repeatedly(
  { everyMs, log, failure }: RepetitionOptions,
  work: (stopping: AbortSignal) => Promise<void>,
): Repetition {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let isWoken = false;
  const run = async (): Promise<void> => {
    isWoken = false;
    try {
      await work(stopping.signal);
    } catch (error) {
      log.warn({ err: error }, failure);
    }
  };
  const begin = (): void => {
    if (stopping.signal.aborted) return;
    running ??= run().finally(() => {
      running = undefined;
      // It may have looked before there was what it was woken for.
      if (isWoken) begin();
    });
  };
  const timer = setInterval(begin, everyMs);
  timer.unref();
  return {
    wake: () => {
      isWoken = true;
      begin();
    },
    close: async () => {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}
