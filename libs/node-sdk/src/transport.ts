import { setTimeout as delay } from 'node:timers/promises';
import type { Fault, RequestRecord } from './types.js';

export type Members = Readonly<Record<string, unknown>>;

/** One answer; status 0 when there was none. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Undefined when it is not a JSON object. */
  readonly body: Members | undefined;
  /** Of a file. */
  readonly text: string;
  readonly requestId: string | undefined;
}

export interface OutgoingRequest {
  readonly method: string;
  /** After the base URL, with its query. */
  readonly path: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const RECORDS = 50;
const KEY_PREFIX_CHARACTERS = 11;
const MESSAGE_CHARACTERS = 500;
const DETAILS = 50;
const SECRET = /\b(?:ck_[\w-]{8}_[\w-]+|whsec_[\w+/=-]+|eyJ[\w-]+\.[\w-]+\.[\w-]*)/g;

/** Sends one request, once, and remembers what a support engineer needs of it. */
export class Transport {
  readonly records: RequestRecord[] = [];
  readonly keyPrefix: string;
  /** After `abort`. */
  isEnded = false;
  private readonly underWay = new Set<AbortController>();

  constructor(
    readonly baseUrl: string,
    private readonly apiKey: string,
    private readonly timeoutMs: number,
  ) {
    this.keyPrefix = apiKey.slice(0, KEY_PREFIX_CHARACTERS);
  }

  /** @param signal ends the request, as no answer does */
  async send(request: OutgoingRequest, signal?: AbortSignal): Promise<Answer> {
    const { method, path } = request;
    const started = Date.now();
    const answer = await this.whileOpen(signal, (ended) => this.attempt(request, ended)).catch(noAnswer);
    this.records.push({
      method,
      path: path.replace(/\?.*$/s, ''),
      at: new Date(started).toISOString(),
      status: answer.status,
      request_id: answer.requestId,
      latency_ms: Date.now() - started,
      error: answer.status >= 200 && answer.status < 300 ? undefined : faultOf(answer),
    });
    if (this.records.length > RECORDS) this.records.shift();
    return answer;
  }

  /** Waits before the next attempt. @param signal ends the wait */
  async pause(ms: number, signal?: AbortSignal): Promise<void> {
    const wait = (ended: AbortController): Promise<void> => delay(ms, undefined, { signal: ended.signal });
    await this.whileOpen(signal, wait).catch(() => undefined);
  }

  /** Ends what is under way: nobody waits for it any more, and nothing of it holds the process. */
  abort(): void {
    this.isEnded = true;
    for (const controller of this.underWay) controller.abort();
  }

  private async whileOpen<Value>(
    signal: AbortSignal | undefined,
    run: (ended: AbortController) => Promise<Value>,
  ): Promise<Value> {
    const controller = new AbortController();
    const end = (): void => controller.abort();
    if (this.isEnded) end();
    this.underWay.add(controller);
    signal?.addEventListener('abort', end);
    try {
      return await run(controller);
    } finally {
      this.underWay.delete(controller);
      signal?.removeEventListener('abort', end);
    }
  }

  private async attempt(
    { method, path, body, headers }: OutgoingRequest,
    ended: AbortController,
  ): Promise<Answer> {
    const timer = setTimeout(() => ended.abort(), this.timeoutMs);
    try {
      const response = await fetch(this.baseUrl + path, {
        method,
        headers: {
          'X-API-Key': this.apiKey,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        body: body ?? null,
        redirect: 'error',
        signal: ended.signal,
      });
      const text = await response.text();
      return {
        status: response.status,
        headers: response.headers,
        body: parse(text),
        text,
        requestId: response.headers.get('x-request-id') ?? undefined,
      };
    } finally {
      clearTimeout(timer);
    }
  }
}

/** Why an answer is not a success, without what could be a credential. */
export function faultOf(answer: Pick<Answer, 'body' | 'status'>): Fault {
  return readFault(membersOf(answer.body?.['error']), answer.status);
}

/** The same of an item of a batch: its place there says nothing to whoever has sent one event. */
export function faultOfItem(error: Members, status: number): Fault {
  const fault = readFault(error, status);
  const details = Object.entries(fault.details).map(
    ([path, messages]) => [path.replace(/^events\.\d+\./, ''), messages] as const,
  );
  return { ...fault, details: Object.fromEntries(details) };
}

function readFault(error: Members, status: number): Fault {
  const { code, message, details } = error;
  return {
    code: typeof code === 'string' ? redact(code) : codeWithout(status),
    message:
      typeof message === 'string' ? redact(message) : 'The service could not be reached, or gave no reason.',
    details: Object.fromEntries(
      Object.entries(membersOf(details))
        .slice(0, DETAILS)
        .map(([path, messages]) => [
          redact(path),
          Array.isArray(messages) ? messages.map((one) => redact(textOf(one))) : [],
        ]),
    ),
  };
}

export function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** Whatever an answer has there: the text of an object, or of lists in lists, may be an error instead. */
export function textOf(value: unknown): string {
  return typeof value === 'object' ? '' : String(value);
}

function codeWithout(status: number): string {
  return status === 0 ? 'NETWORK_ERROR' : 'INVALID_ANSWER';
}

function redact(text: string): string {
  return text.slice(0, MESSAGE_CHARACTERS).replace(SECRET, '[redacted]');
}

function noAnswer(): Answer {
  return { status: 0, headers: new Headers(), body: undefined, text: '', requestId: undefined };
}

function parse(text: string): Members | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Members)
      : undefined;
  } catch {
    return undefined;
  }
}
