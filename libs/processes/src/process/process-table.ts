import { readdirSync, readFileSync } from 'node:fs';

const STAT_PARENT = 1;
const STAT_CHILDREN_USER = 13;
const STAT_CHILDREN_SYSTEM = 14;
/** The unit of times there (`getconf CLK_TCK`), the same on every Linux. */
const TICKS_PER_SECOND = 100;

/**
 * Fields of `/proc/<pid>/stat` after the command, which is in brackets and may contain anything; undefined
 * for a missing process. proc(5) numbers the first of them 3.
 */
export function statFields(pid: number): readonly string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/**
 * Seconds of processors that the ended children of this process, and theirs, have used; undefined where the system does
 * not say. What a busy machine makes slower takes no more of them.
 */
export function secondsOfEndedChildren(): number | undefined {
  const fields = statFields(process.pid);
  if (fields === undefined) return undefined;
  return (Number(fields[STAT_CHILDREN_USER]) + Number(fields[STAT_CHILDREN_SYSTEM])) / TICKS_PER_SECOND;
}

/** Children of every process at this moment. */
export function childrenByParent(): ReadonlyMap<number, readonly number[]> {
  const children = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statFields(Number(name));
    // It has ended since the folder was read.
    if (fields === undefined) continue;
    const parent = Number(fields[STAT_PARENT]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  return children;
}

/** These processes and all their descendants, without repetitions. */
export function treeOf(roots: readonly number[]): readonly number[] {
  const children = childrenByParent();
  const seen = new Set<number>();
  const waiting = [...roots];
  for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
    if (seen.has(pid)) continue;
    seen.add(pid);
    waiting.push(...(children.get(pid) ?? []));
  }
  return [...seen];
}
