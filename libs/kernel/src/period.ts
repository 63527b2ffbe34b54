/** Half-open, as ISO 8601 instants, by the time of storage. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** Undefined unless both are instants and the first is earlier; without an end, until now. */
export function readPeriod(
  { from, to }: { readonly from?: string | undefined; readonly to?: string | undefined },
  nowMs: number,
): Period | undefined {
  const [fromMs, toMs] = [Date.parse(from ?? ''), to === undefined ? nowMs : Date.parse(to)];
  if (!(fromMs < toMs)) return undefined;
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}
