type Close = () => Promise<unknown>;

interface Closing {
  readonly open: Set<Close>;
  readonly onSignal: (signal: NodeJS.Signals) => void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;
const CLOSING: unique symbol = Symbol.for('truetally.closing');
/**
 * One listener for all of a process, also of clients and workers together and of copies of a package: the last one to close ends it.
 * With two of them each would take the other for the application's, and neither would end the process.
 */
const { open, onSignal } = ((globalThis as { [CLOSING]?: Closing })[CLOSING] ??= {
  open: new Set(),
  onSignal: closeAll,
});

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

function closeAll(signal: NodeJS.Signals): void {
  const isOnlyOurs = process.listenerCount(signal) === 1;
  void Promise.allSettled([...open].map((close) => close())).then(() => {
    if (isOnlyOurs) process.kill(process.pid, signal);
  });
}
