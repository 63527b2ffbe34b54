interface Step {
  readonly cursor: string | null;
  readonly found: number;
  readonly done: number;
}

interface Erasure {
  step(name: string, siteId: string, cursor: string | null): Promise<Step>;
}

/** Totals over all steps of an erasure. */
export interface WalkedErasure {
  readonly steps: number;
  readonly found: number;
  readonly done: number;
}

/**
 * Erases a site as its job does. Each step runs twice, as after a lost reply.
 * @param mostSteps above any sensible number of steps
 * @param before runs before each step
 * @throws when a step returns an earlier cursor, when its repetition returns another report, or when it does
 * not end
 */
export async function walkErasure(
  erasure: Erasure,
  siteId: string,
  mostSteps: number,
  before: (cursor: string | null) => Promise<unknown> = () => Promise.resolve(),
): Promise<WalkedErasure> {
  const visited = new Set<string | null>();
  let [found, done] = [0, 0];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const at: string | null = cursor ?? null;
    if (visited.has(at)) throw new Error(`The erasure goes back to ${String(at)}.`);
    if (visited.size === mostSteps)
      throw new Error(`It does not end: after ${mostSteps} steps, ${String(at)}.`);
    visited.add(at);
    await before(at);
    const report = await erasure.step(`${siteId}/${String(at)}`, siteId, at);
    const again = await erasure.step(`${siteId}/${String(at)}`, siteId, at);
    if (JSON.stringify(report) !== JSON.stringify(again)) throw new Error(`Two answers at ${String(at)}.`);
    found += report.found;
    done += report.done;
    cursor = report.cursor;
  }
  return { steps: visited.size, found, done };
}
