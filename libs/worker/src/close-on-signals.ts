type Close = () => Promise<unknown>;

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
/** One listener for all workers of a process: the last one to close ends it. */
const open = new Set<Close>();

/**
 * Closes the worker when the process is asked to end, and then lets the signal do what it would have done; where the
 * application listens itself, ending is its business.
 * @returns a function that ends it
 */
export function closeOnSignals(close: Close): () => void {
  if (open.size === 0) for (const signal of SIGNALS) process.on(signal, onSignal);
  open.add(close);
  return () => {
    open.delete(close);
    if (open.size === 0) for (const signal of SIGNALS) process.off(signal, onSignal);
  };
}

function onSignal(signal: NodeJS.Signals): void {
  const isOnlyOurs = process.listenerCount(signal) === 1;
  void Promise.allSettled([...open].map((close) => close())).then(() => {
    if (isOnlyOurs) process.kill(process.pid, signal);
  });
}
