const FAILED = 1;
/**
 * Signals within this time are one Ctrl-C: the terminal sends it to npm and to this process, and npm passes it
 * on.
 */
const SAME_SIGNAL_MS = 1_000;
const PARENT_CHECK_MS = 500;

export interface StopSignal {
  readonly promise: Promise<undefined>;
  /** @throws when the stop signal has arrived */
  throwIfStopped(): void;
  hasStopped(): boolean;
}

/**
 * The first SIGINT, SIGTERM or SIGHUP, the end of the npm that runs this process, or of whoever reads its output
 * (`| head`). A later signal kills the process at once, in case the stop takes too long.
 */
export function stopSignal(): StopSignal {
  const controller = new AbortController();
  const promise = new Promise<undefined>((resolve) => {
    let firstAt: number | undefined;
    const stop = (): void => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(FAILED);
      controller.abort();
      resolve(undefined);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    // Without a listener it is an uncaught error, and saying so is the next one.
    for (const output of [process.stdout, process.stderr])
      output.on('error', () => {
        if (firstAt === undefined) stop();
      });
    process.on('uncaughtException', (error) => {
      console.error(error);
      process.exitCode = FAILED;
      if (firstAt === undefined) stop();
    });
    const parent = process.ppid;
    const isRunByNpm = process.env['npm_lifecycle_event'] !== undefined;
    const watch = setInterval(() => {
      if (isRunByNpm && process.ppid !== parent && firstAt === undefined) stop();
    }, PARENT_CHECK_MS);
    watch.unref();
  });
  const { signal } = controller;
  return { promise, throwIfStopped: () => signal.throwIfAborted(), hasStopped: () => signal.aborted };
}
