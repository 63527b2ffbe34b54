import { readdirSync, readFileSync } from 'node:fs';

/** Linux reports times of processes in hundredths of a second (`USER_HZ`). */
const MICROSECONDS_PER_TICK = 10_000;

/** What each named process, with all that it has started, spends while `work` runs, in microseconds. */
export async function processorTime<T>(
  pids: Readonly<Record<string, number>>,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly spent: Readonly<Record<string, number>> }> {
  const before = times(pids);
  const result = await work();
  const after = times(pids);
  const spent = Object.keys(pids).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)] as const);
  return { result, spent: Object.fromEntries(spent) };
}

function times(pids: Readonly<Record<string, number>>): Record<string, number> {
  const stats = allProcesses();
  const children = new Map<number, number[]>();
  for (const [pid, { parent }] of stats) children.set(parent, [...(children.get(parent) ?? []), pid]);
  const ofTree = (root: number): number => {
    const own = stats.get(root)?.ticks ?? 0;
    return (children.get(root) ?? []).reduce((sum, child) => sum + ofTree(child), own);
  };
  return Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, ofTree(pid) * MICROSECONDS_PER_TICK]),
  );
}

interface ProcessTime {
  readonly parent: number;
  /** Its own, and that of its children that have ended. */
  readonly ticks: number;
}

function allProcesses(): Map<number, ProcessTime> {
  const found = new Map<number, ProcessTime>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      // Behind the name, which is in brackets and may hold anything; proc(5) numbers the first field here as 3.
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + field, 0);
      found.set(Number(name), { parent: fields[1] ?? 0, ticks });
    } catch {
      // It has ended since the folder was read.
      continue;
    }
  }
  return found;
}
