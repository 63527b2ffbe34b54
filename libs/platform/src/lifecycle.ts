import type { Logger } from './logger.js';

/** What a process does on SIGTERM or SIGINT. */
export interface Lifecycle {
  readonly log: Logger;
  /** Timeout of `stop`; the process ends after it in any case. */
  readonly timeoutMs: number;
  readonly stop: () => Promise<void>;
}

/** Several services may run in one process, which ends with the last of them. */
let running = 0;

/**
 * Ends the process in order at SIGTERM or SIGINT: `stop` drains, then exit 0. A second signal ends it at
 * once. An uncaught error is a bug, and a process in an unknown state is worse than a restarted one: exit 1.
 */
export function runUntilSignal({ log, timeoutMs, stop }: Lifecycle): void {
  let isStopping = false;
  running += 1;
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
        running -= 1;
        if (running === 0) process.exit(0);
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
  logWarnings(log);
}

/** In place of Node, which writes its warnings as text among the lines of the log. Of several services the last one logs them. */
function logWarnings(log: Logger): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message, stack }) => {
    // Not the whole error: it may carry the object that it warns of, such as a socket.
    log.warn({ warning: `${name}: ${message}`, stack }, 'Node.js has warned.');
  });
}
