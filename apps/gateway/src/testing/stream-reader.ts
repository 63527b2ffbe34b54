import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { EventResource } from '@truetally/contracts/events';
import { eventually } from '@truetally/testing';

/** A frame of `text/event-stream`. */
export interface StreamFrame {
  readonly event: string;
  readonly id: string;
  readonly data: unknown;
}

type Headers = Readonly<Record<string, string>>;

/** Waits for work of other processes. */
const PATIENCE = { timeoutMs: 240_000 };

/** A reader of a live stream on a connection of its own. */
export class StreamReader {
  readonly frames: StreamFrame[] = [];
  comments = 0;
  isEnded = false;
  private rest = '';

  private constructor(private readonly answer: IncomingMessage) {
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => this.take(text));
    answer.once('close', () => {
      this.isEnded = true;
    });
    answer.on('error', () => undefined);
  }

  /** Resolves with the head of the answer, whatever it is. @param isReading whether the body is read at once */
  static open(url: string, headers: Headers, { isReading = true } = {}): Promise<StreamReader> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { agent: false, headers: { accept: 'text/event-stream', ...headers } });
      sent.once('error', reject);
      sent.once('response', (answer) => {
        const reader = new StreamReader(answer);
        if (!isReading) answer.pause();
        resolve(reader);
      });
      sent.end();
    });
  }

  get status(): number {
    return this.answer.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.answer.headers;
  }

  /** The events that it was sent, in their order. */
  get stored(): readonly EventResource[] {
    return this.frames.filter(({ event }) => event === 'stored').map(({ data }) => data as EventResource);
  }

  get lastId(): string {
    return this.frames.at(-1)?.id ?? '';
  }

  /** Of all `missed` frames together. */
  get missed(): number {
    return this.frames
      .filter(({ event }) => event === 'missed')
      .reduce((sum, { data }) => sum + (data as { count: number }).count, 0);
  }

  /** Begins to read what has waited. */
  read(): void {
    this.answer.resume();
  }

  async hasOpened(): Promise<StreamFrame> {
    return this.has('open');
  }

  /** Resolves with the first frame of that name. */
  async has(name: string): Promise<StreamFrame> {
    await eventually(() => this.frames.some(({ event }) => event === name), PATIENCE);
    const frame = this.frames.find(({ event }) => event === name);
    if (frame === undefined) throw new Error(`There is no ${name}`);
    return frame;
  }

  async hasStored(count: number): Promise<void> {
    await eventually(() => this.stored.length >= count, PATIENCE);
  }

  async hasEnded(): Promise<void> {
    await eventually(() => this.isEnded, PATIENCE);
  }

  leave(): void {
    this.answer.destroy();
  }

  private take(text: string): void {
    const blocks = (this.rest + text).split('\n\n');
    this.rest = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.startsWith(':')) this.comments += 1;
      else this.frames.push(frameOf(block));
    }
  }
}

function frameOf(block: string): StreamFrame {
  const fields = new Map(
    block.split('\n').map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)] as const;
    }),
  );
  return {
    event: fields.get('event') ?? '',
    id: fields.get('id') ?? '',
    data: JSON.parse(fields.get('data') ?? 'null'),
  };
}
