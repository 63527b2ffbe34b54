import { statFields, treeOf } from '@truetally/processes';

/** Linux reports times of processes in hundredths of a second (`USER_HZ`). */
const MICROSECONDS_PER_TICK = 10_000;
/** User and system time: that of a process, and that of its terminated children. */
const STAT_TIMES = [11, 15] as const;

/** Processor time while some work ran, in microseconds, and the work's result. */
interface Spending<T> {
  readonly result: T;
  /** By process, each with its children. */
  readonly spent: Readonly<Record<string, number>>;
  /** Of all of them together. */
  readonly inAll: number;
}

/** Processor time of each named process and its children while `work` runs. */
export async function processorTime<T>(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<T>,
): Promise<Spending<T>> {
  const before = times(pids);
  const result = await work();
  const after = times(pids);
  const spent = Object.keys(pids).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const);
  const inAll = spent.reduce((sum, [, microseconds]) => sum + microseconds, 0);
  return { result, spent: Object.fromEntries(spent), inAll };
}

/** A smaller cost of each is left out of the figure's parts, but included in its sum. */
const LEAST_SHARE_MICROSECONDS = 0.1;

/** What each of so many things took of all processes together, and by process. */
export function costOfEach(
  { spent, inAll }: Pick<Spending<unknown>, 'inAll' | 'spent'>,
  count: number,
): { readonly microseconds: number; readonly figure: string } {
  const parts = Object.entries(spent)
    .map(([name, microseconds]) => ({ name, share: microseconds / count }))
    .filter(({ share }) => share >= LEAST_SHARE_MICROSECONDS)
    .sort((one, other) => other.share - one.share)
    .map(({ name, share }) => `${name} ${share.toFixed(1)}`);
  const microseconds = inAll / count;
  return { microseconds, figure: `${microseconds.toFixed(1)} µs: ${parts.join(', ')}` };
}

/** What each process, with its children, has taken so far, in microseconds. */
export function times(pids: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => {
      const ticks = treeOf([pid]).reduce((sum, one) => sum + ticksOf(one), 0);
      return [name, ticks * MICROSECONDS_PER_TICK];
    }),
  );
}

function ticksOf(pid: number): number {
  const fields = statFields(pid)?.slice(...STAT_TIMES) ?? [];
  return fields.reduce((sum, field) => sum + Number(field), 0);
}
