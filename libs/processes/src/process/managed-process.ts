import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify, sendSignal, type ProcessIdentity } from './identity.js';
import { forgetProcess, recordProcess } from './records.js';
import { countStart } from './starts.js';

/** The program to run, and its user. */
export interface ProcessOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly uid?: number;
  readonly gid?: number;
  /** Where its output goes; without a file it is kept in memory, the last 2 MiB of it. */
  readonly logFile?: string;
}

/** How a process ended: its exit code, or the signal that ended it. */
export interface ExitStatus {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const MAX_LOG_BYTES = 8 * 1024 * 1024;
const MAX_MEMORY_CHARACTERS = 2 * 1024 * 1024;
const TAIL_LINES = 30;
const DEFAULT_GRACE_MS = 15_000;

/**
 * A child process in its own session, so that a Ctrl-C at the terminal reaches only its supervisor. Its end
 * is an event to wait for, never an exception.
 */
export class ManagedProcess {
  /** Running processes of this one. */
  static readonly running = new Set<ManagedProcess>();

  readonly pid: number;
  readonly identity: ProcessIdentity;
  readonly exited: Promise<ExitStatus>;
  exitStatus: ExitStatus | null = null;
  private captured = '';

  private constructor(
    private readonly options: ProcessOptions,
    child: ChildProcess,
    pid: number,
  ) {
    this.pid = pid;
    // A process that ended before we look has exited already, so that its start time no longer matters.
    this.identity = identify(pid) ?? { pid, startedAt: 'gone' };
    recordProcess(this.identity);
    ManagedProcess.running.add(this);
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        forgetProcess(this.identity);
        ManagedProcess.running.delete(this);
        this.exitStatus = { code, signal };
        resolve(this.exitStatus);
      });
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.captured += text;
        // Seldom, because each time copies all that is kept: two milliseconds for every line of a product that says much.
        if (this.captured.length > 2 * MAX_MEMORY_CHARACTERS) this.captured = lastOf(this.captured);
      });
    }
  }

  static async start(options: ProcessOptions): Promise<ManagedProcess> {
    const log = options.logFile === undefined ? 'pipe' : openLog(options.logFile);
    try {
      const child = spawn(options.command, [...options.args], {
        env: options.env,
        detached: true,
        stdio: ['ignore', log, log],
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
        ...(options.uid === undefined ? {} : { uid: options.uid }),
        ...(options.gid === undefined ? {} : { gid: options.gid }),
      });
      const pid = child.pid;
      if (pid === undefined) {
        const cause = await new Promise<Error>((resolve) => child.once('error', resolve));
        throw new Error(`${options.name} could not be started: ${cause.message}`, { cause });
      }
      child.on('error', () => undefined);
      countStart(options.name);
      return new ManagedProcess(options, child, pid);
    } finally {
      if (typeof log === 'number') closeSync(log);
    }
  }

  get isRunning(): boolean {
    return this.exitStatus === null;
  }

  send(signal: NodeJS.Signals): void {
    if (this.isRunning) sendSignal(this.pid, signal);
  }

  /** Asks it to end; SIGKILL after `graceMs`. Resolves when it has ended. */
  async stop(signal: NodeJS.Signals = 'SIGTERM', graceMs: number = DEFAULT_GRACE_MS): Promise<ExitStatus> {
    this.send(signal);
    const timer = setTimeout(() => this.send('SIGKILL'), graceMs);
    const status = await this.exited;
    clearTimeout(timer);
    return status;
  }

  /** What it has written so far, or the last part of it. */
  output(): string {
    const file = this.options.logFile;
    if (file === undefined) return lastOf(this.captured);
    return existsSync(file) ? lastOf(readFileSync(file, 'utf8')) : '';
  }

  tail(lines: number = TAIL_LINES): string {
    return this.output().trimEnd().split('\n').slice(-lines).join('\n');
  }

  describeExit(): string {
    const { code, signal } = this.exitStatus ?? { code: null, signal: null };
    return signal === null ? `exited with code ${code}` : `was ended by ${signal}`;
  }
}

function lastOf(text: string): string {
  return text.slice(-MAX_MEMORY_CHARACTERS);
}

/** A large log is rotated; the former one is kept. */
function openLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true });
  if (existsSync(file) && statSync(file).size > MAX_LOG_BYTES) renameSync(file, `${file}.1`);
  return openSync(file, 'a', 0o600);
}
