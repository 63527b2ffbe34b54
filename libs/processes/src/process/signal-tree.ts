import { sendSignal } from './identity.js';
import { childrenByParent } from './process-table.js';

/**
 * Sends a signal to a process and all its descendants: sessions of a stopped postmaster would continue by
 * themselves.
 */
export function signalTree(pid: number, signal: NodeJS.Signals): void {
  sendSignal(pid, signal);
  // Listed only now: a stopped process starts no more of them.
  for (const child of childrenByParent().get(pid) ?? []) signalTree(child, signal);
}
