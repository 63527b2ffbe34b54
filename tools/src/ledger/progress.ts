const INTERVAL_MS = 1_000;
const MS_PER_SECOND = 1_000;

/** Prints the progress of a walk over the ledger to standard error, once a second. */
export function progress(say: (line: string) => void): (done: number, total: number) => void {
  const startedAt = performance.now();
  let saidAt = startedAt;
  return (done, total) => {
    const now = performance.now();
    if (now - saidAt < INTERVAL_MS) return;
    saidAt = now;
    const perSecond = (done * MS_PER_SECOND) / (now - startedAt);
    say(`${inThousands(done)} of ${inThousands(total)} records, ${inThousands(perSecond)} a second`);
  };
}

export function inThousands(value: number): string {
  return Math.round(value).toLocaleString('en');
}
