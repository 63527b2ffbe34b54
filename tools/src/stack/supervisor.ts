import { setTimeout as delay } from 'node:timers/promises';
import { type LocalServer, ManagedProcess } from '@truetally/processes';

export interface SupervisorOptions {
  /** Called when a replaced process is ready. */
  readonly onReplaced: () => void;
  readonly say: (line: string) => void;
}

const FIRST_BACKOFF_MS = 200;
const MAX_BACKOFF_MS = 10_000;
/** After this time without a crash, a process starts again with the shortest pause. */
const STABLE_MS = 30_000;
const TAIL_LINES = 15;
const SWEEP_INTERVAL_MS = 50;
const SWEEP_TIMEOUT_MS = 10_000;

/** Restarts processes that end, with growing pauses, until it is stopped. */
export class Supervisor {
  private readonly servers = new Map<string, LocalServer>();
  private readonly loops: Promise<void>[] = [];
  private readonly stopping = new AbortController();

  constructor(private readonly options: SupervisorOptions) {}

  watch(name: string, server: LocalServer): void {
    this.servers.set(name, server);
    this.loops.push(this.keepAlive(name, server));
  }

  get pids(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.servers].map(([name, { pid }]) => [name, pid]));
  }

  /**
   * Stops the named servers group after group, then all other processes that this process has started, for
   * example those that were starting when the stop came.
   * @param beginning what may still start processes, besides this supervisor
   */
  async stop(groups: readonly (readonly string[])[], beginning: Promise<unknown>): Promise<void> {
    this.stopping.abort();
    for (const group of groups) await Promise.all(group.map((name) => this.servers.get(name)?.stop()));
    let isSettled = false;
    void Promise.allSettled([beginning, ...this.loops]).then(() => {
      isSettled = true;
    });
    const deadline = performance.now() + SWEEP_TIMEOUT_MS;
    while ((!isSettled || ManagedProcess.running.size > 0) && performance.now() < deadline) {
      for (const process of ManagedProcess.running) process.send('SIGKILL');
      await delay(SWEEP_INTERVAL_MS);
    }
  }

  private async keepAlive(name: string, server: LocalServer): Promise<void> {
    let failures = 0;
    while (!this.stopping.signal.aborted) {
      const watchedSince = performance.now();
      const { code, signal } = await server.exited;
      if (this.stopping.signal.aborted) return;
      if (performance.now() - watchedSince > STABLE_MS) failures = 0;
      this.options.say(`${name} ended (${signal ?? `code ${code}`}); starting it again.`);
      if (code !== null && code !== 0) this.options.say(indent(server.tail(TAIL_LINES)));
      failures = await this.restart(name, server, failures);
    }
  }

  /** Retries until it is ready. @returns the number of pauses since it was last stable */
  private async restart(name: string, server: LocalServer, failuresBefore: number): Promise<number> {
    for (let failures = failuresBefore; ; failures++) {
      try {
        await delay(Math.min(FIRST_BACKOFF_MS * 2 ** failures, MAX_BACKOFF_MS), undefined, {
          signal: this.stopping.signal,
        });
        await server.restart();
        this.options.say(`${name} serves again (process ${server.pid}).`);
        this.options.onReplaced();
        return failures + 1;
      } catch (error) {
        if (this.stopping.signal.aborted) return failures;
        this.options.say(
          `${name} did not come up: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    }
  }
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
