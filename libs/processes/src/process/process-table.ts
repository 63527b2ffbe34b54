import { readdirSync, readFileSync } from 'node:fs';

const STAT_PARENT = 1;

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
