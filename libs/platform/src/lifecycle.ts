import type { Logger } from './logger.js';

export interface Lifecycle {
  readonly log: Logger;
  /** How long `stop` may take before the process ends all the same. */
  readonly timeoutMs: number;
  readonly stop: () => Promise<void>;
}

/**
 * Ends the process in order at SIGTERM or SIGINT: `stop` drains, then exit 0. A second signal ends it at once.
 * An error that nobody caught is a bug, and a process in an unknown state is worse than one started again: exit 1.
 */
export function runUntilSignal({ log, timeoutMs, stop }: Lifecycle): void {
  let isStopping = false;
  const end = (signal: string): void => {
    if (isStopping) process.exit(1);
    isStopping = true;
    log.info({ signal }, 'Stopping.');
    const timer = setTimeout(() => {
      log.error({ timeoutMs }, 'Did not stop in time.');
      process.exit(1);
    }, timeoutMs);
    stop()
      .then(() => {
        clearTimeout(timer);
        log.info({}, 'Stopped.');
        process.exit(0);
      })
      .catch((error: unknown) => {
        log.error({ err: error }, 'Stopping failed.');
        process.exit(1);
      });
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  process.on('SIGINT', () => end('SIGINT'));
  const crash = (error: unknown): void => {
    log.fatal({ err: error }, 'An error that nothing handled ends the process.');
    process.exit(1);
  };
  process.on('uncaughtException', crash);
  process.on('unhandledRejection', crash);
}
