import { type ChildProcess, fork } from 'node:child_process';
import { PICTURE_FAULTS } from '../domain/picture-structure.js';
import type { PictureReply, PictureRequest } from './picture-message.js';

export interface ImageProcessOptions {
  /** The built `image-child.js`. */
  readonly script: string;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  /** A process that crashed. */
  readonly onCrash: (reason: string) => void;
}

/** Of one picture. One that takes longer is refused, and not tried again: the others of everybody wait for it. */
const TIMEOUT_MS = 12_000;
/** Idle timeout: a start costs a fifth of a second, and an idle process 70 MiB. */
const IDLE_MS = 30_000;
/** A process may die of something else; a picture that kills two is at fault. */
const TRIES = 2;
const HEAP_MIB = 64;
const TOO_SLOW = 'must be a picture that can be read in some seconds';

/** The only process that decodes pictures, started on demand and stopped after the idle timeout. */
export class ImageProcess {
  private child: ChildProcess | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: ImageProcessOptions) {}

  /** One picture at a time; others wait. Never rejects. */
  reencode(request: PictureRequest): Promise<PictureReply> {
    const reply = this.last.then(() => this.tryTwice(request));
    this.last = reply;
    return reply;
  }

  close(): void {
    clearTimeout(this.idleTimer);
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }

  private async tryTwice(request: PictureRequest): Promise<PictureReply> {
    clearTimeout(this.idleTimer);
    try {
      for (let attempt = 1; attempt <= TRIES; attempt++) {
        const reply = await this.ask(request);
        if (reply !== undefined) return reply;
      }
      return { refusal: PICTURE_FAULTS.damaged };
    } catch (error) {
      // There are too many processes or open files; the next picture starts a new process.
      this.close();
      return { failure: String(error) };
    } finally {
      this.idleTimer = setTimeout(() => this.close(), this.options.idleMs ?? IDLE_MS);
      this.idleTimer.unref();
    }
  }

  /**
   * @returns undefined when the process died
   * @throws the system's error when no process can be started
   */
  private ask(request: PictureRequest): Promise<PictureReply | undefined> {
    const child = (this.child ??= this.start());
    return new Promise((resolve, reject) => {
      const letGo = (): void => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', onExit).off('error', onError);
      };
      const settle = (reply: PictureReply | undefined): void => {
        letGo();
        resolve(reply);
      };
      const onError = (error: Error): void => {
        letGo();
        reject(error);
      };
      const onMessage = (reply: unknown): void => settle(reply as PictureReply);
      const onExit = (code: number | null, signal: string | null): void => {
        this.child = undefined;
        this.options.onCrash(signal ?? `exit code ${code ?? 'unknown'}`);
        settle(undefined);
      };
      const timer = setTimeout(() => {
        this.close();
        this.options.onCrash('time out');
        settle({ refusal: TOO_SLOW });
      }, this.options.timeoutMs ?? TIMEOUT_MS);
      child.on('message', onMessage).on('exit', onExit).on('error', onError);
      // A process that failed to start has no channel and emits an error; one that ended emits an exit.
      if (!child.connected) return;
      child.send(request, (error) => {
        if (error !== null) child.kill('SIGKILL');
      });
    });
  }

  /** With an empty environment, because this process' environment contains secrets. */
  private start(): ChildProcess {
    const child = fork(this.options.script, {
      env: {},
      execArgv: [`--max-old-space-size=${HEAP_MIB}`],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    child.on('error', () => child.kill('SIGKILL'));
    child.once('exit', () => {
      if (this.child === child) this.child = undefined;
    });
    // Neither keeps the service from exiting.
    child.unref();
    child.channel?.unref();
    return child;
  }
}
