import { type ChildProcess, fork } from 'node:child_process';
import { PICTURE_FAULTS } from '../domain/picture-structure.js';
import type { PictureReply, PictureRequest } from './picture-message.js';

export interface ImageProcessOptions {
  /** The built `image-child.js`. */
  readonly script: string;
  readonly timeoutMs?: number;
  readonly idleMs?: number;
  /** A process that did not come to its end by itself. */
  readonly onCrash: (reason: string) => void;
}

/** Of one picture; the largest that are taken need a third of it. Two tries stay within the transaction of the command. */
const TIMEOUT_MS = 12_000;
/** A start costs a fifth of a second, and a process that waits costs 70 MiB. */
const IDLE_MS = 30_000;
/** A process may die of something else than the picture; a picture that kills two is at fault. */
const TRIES = 2;
const HEAP_MIB = 64;
const TOO_SLOW = 'must be a picture that can be read in some seconds';

/** The one process that decodes pictures, started when there is one to decode, and ended when there was none for long. */
export class ImageProcess {
  private child: ChildProcess | undefined;
  private last: Promise<unknown> = Promise.resolve();
  private idleTimer: NodeJS.Timeout | undefined;

  constructor(private readonly options: ImageProcessOptions) {}

  /** One picture at a time: a second waits for the first. Never rejects. */
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
      // There are too many processes or open files for one more: the next is started anew.
      this.close();
      return { failure: String(error) };
    } finally {
      this.idleTimer = setTimeout(() => this.close(), this.options.idleMs ?? IDLE_MS);
      this.idleTimer.unref();
    }
  }

  /**
   * @returns undefined when the process died of it
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
      // One that was not started has no channel, and says so by its error; one that has ended, by its exit.
      if (!child.connected) return;
      child.send(request, (error) => {
        if (error !== null) child.kill('SIGKILL');
      });
    });
  }

  /** With nothing of this process's environment: there are secrets in it. */
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
    // Neither keeps the service from ending.
    child.unref();
    child.channel?.unref();
    return child;
  }
}
