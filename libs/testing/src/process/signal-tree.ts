import { sendSignal } from './identity.js';
import { childrenByParent } from './process-table.js';

/** Sends a signal to a process and to all below it: a stopped postmaster's sessions would go on by themselves. */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  sendSignal(pid, signal);
  // Looked for only now: whoever stands still starts no more of them.
  for (const child of childrenByParent().get(pid) ?? []) signalTree(child, signal);
}
