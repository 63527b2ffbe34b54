import { readdirSync, readFileSync } from 'node:fs';
import { sendSignal } from './identity.js';

/** Of /proc/<pid>/stat after the command's closing parenthesis: state, parent. */
const STAT_PARENT = 1;

/** Sends a signal to a process and to all below it: a stopped postmaster's sessions would go on by themselves. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  sendSignal(pid, signal);
  for (const child of childrenOf(pid)) signalTree(child, signal);
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number);
}

function parentOf(name: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[STAT_PARENT]);
  } catch {
    // It has ended meanwhile.
    return undefined;
  }
}
