import type { ExitStatus, ManagedProcess } from './managed-process.js';
import type { ProcessIdentity } from './identity.js';

/** A server process that can be stopped, killed and started again on the same data and port. */
export interface LocalServer {
  /** The process id; another one after a restart. */
  readonly pid: number;
  readonly identity: ProcessIdentity;
  /** The end of the current process. */
  readonly exited: Promise<ExitStatus>;
  readonly isRunning: boolean;
  /** A clean shutdown; SIGKILL after a timeout. */
  stop(): Promise<void>;
  /** Sends a signal (default SIGKILL); waits for the end if the signal ends a process. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Restarts it, stopping it first if it runs. Resolves when it serves. */
  restart(): Promise<void>;
  /** The last lines of its log. */
  tail(lines?: number): string;
}

const HARMLESS_SIGNALS: readonly NodeJS.Signals[] = [
  'SIGSTOP',
  'SIGCONT',
  'SIGTSTP',
  'SIGHUP',
  'SIGUSR1',
  'SIGUSR2',
];

/** Wraps a function that starts the process and resolves when it serves. */
export async function serve(
  launch: () => Promise<ManagedProcess>,
  stopSignal: NodeJS.Signals,
): Promise<LocalServer> {
  let current = await launch();
  return {
    get pid() {
      return current.pid;
    },
    get identity() {
      return current.identity;
    },
    get exited() {
      return current.exited;
    },
    get isRunning() {
      return current.isRunning;
    },
    async stop() {
      // A stopped (SIGSTOP) process would not react to the request to end.
      current.send('SIGCONT');
      await current.stop(stopSignal);
    },
    async kill(signal = 'SIGKILL') {
      current.send(signal);
      if (!HARMLESS_SIGNALS.includes(signal)) await current.exited;
    },
    async restart() {
      current.send('SIGCONT');
      await current.stop(stopSignal);
      current = await launch();
    },
    tail: (lines) => current.tail(lines),
  };
}
