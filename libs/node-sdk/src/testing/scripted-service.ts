import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the service behaves for one request; it stores before it fails where the name says so. */
export type Behaviour =
  | 'answers'
  | 'closes-after-storing'
  | 'closes-before-storing'
  | 'is-limited'
  | 'is-unavailable'
  | 'fails-every-other-item'
  | 'is-not-ours'
  | 'names-no-text'
  | 'refuses-without-text'
  | 'never-answers';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly body: string;
}

interface ScriptedAnswer {
  readonly status: number;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Sent {
  readonly client_event_id: string;
  readonly event_type: string;
}

/** A server that speaks as the service does (interface page, sections 1, 3 and 4), and fails as it is told. */
export class ScriptedService {
  readonly stored = new Map<string, number>();
  readonly requests: ReceivedRequest[] = [];
  /** The most events that one request may have: what is left of an allowance. */
  allowance = Number.POSITIVE_INFINITY;
  /** The answer to everything but events; none when it is undefined. */
  other: (request: ReceivedRequest) => ScriptedAnswer | undefined = () => ({
    status: 404,
    body: { success: false, error: { code: 'NOT_FOUND', message: 'No such route.', details: {} } },
  });
  private readonly server = createServer((request, response) => void this.serve(request, response));

  /** @param behaviours in the order of the requests; afterwards it answers */
  constructor(public behaviours: Behaviour[] = []) {}

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/api/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const received = { method: request.method ?? '', path: request.url ?? '', body };
    this.requests.push(received);
    if (!received.path.endsWith('/events/batch')) {
      const answer = this.other(received);
      if (answer === undefined) return;
      return send(response, answer.status, answer.body, answer.headers);
    }
    const { events } = JSON.parse(body) as { readonly events: readonly Sent[] };
    this.answerEvents(events, this.behaviours.shift() ?? 'answers', response);
  }

  private answerEvents(events: readonly Sent[], behaviour: Behaviour, response: ServerResponse): void {
    if (behaviour === 'never-answers') return;
    if (behaviour === 'closes-before-storing') return void response.destroy();
    if (behaviour === 'is-unavailable') {
      return send(response, 503, refusal('INTERNAL_ERROR'), { 'Retry-After': '0' });
    }
    if (behaviour === 'is-not-ours') return send(response, 200, { hello: 'from a proxy' });
    if (behaviour === 'names-no-text') {
      const results = [{ index: 0, status: 'stored', event_id: TEXTLESS, timestamp: TEXTLESS }];
      return send(response, 201, { success: true, data: { results } });
    }
    if (behaviour === 'refuses-without-text') {
      const details = { 'events.0': [TEXTLESS] };
      return send(response, 400, { success: false, error: { code: TEXTLESS, message: TEXTLESS, details } });
    }
    if (behaviour === 'is-limited' || events.length > this.allowance) {
      const left = behaviour === 'is-limited' ? 0 : this.allowance;
      const reset = String(Math.floor(Date.now() / 1000));
      return send(response, 429, refusal('RATE_LIMIT_EXCEEDED'), {
        'X-RateLimit-Remaining': String(left),
        'X-RateLimit-Reset': reset,
      });
    }
    if (events.some(({ event_type: type }) => type === 'unreadable')) {
      return send(response, 400, refusal('VALIDATION_ERROR'));
    }
    const results = events.map((event, index) => this.store(event, index, behaviour));
    if (behaviour === 'closes-after-storing') return void response.destroy();
    send(response, results.some(({ status }) => status === 'failed') ? 207 : 201, {
      success: true,
      data: { results },
    });
  }

  private store({ client_event_id: id, event_type: type }: Sent, index: number, behaviour: Behaviour) {
    const fails = (retryable: boolean) => ({
      index,
      status: 'failed',
      error: {
        code: retryable ? 'INTERNAL_ERROR' : 'VALIDATION_ERROR',
        message: 'no',
        details: { [`events.${index}.properties.query`]: ['is required'] },
        retryable,
      },
    });
    if (type === 'invalid') return fails(false);
    if (behaviour === 'fails-every-other-item' && index % 2 === 0) return fails(true);
    const known = this.stored.get(id) ?? 0;
    this.stored.set(id, known + 1);
    const one = { index, event_id: `event-of-${id}`, timestamp: '2026-01-31T09:30:00.000Z' };
    return known === 0 ? { ...one, status: 'stored' } : { ...one, status: 'duplicate', deduplicated: true };
  }
}

/** JavaScript makes no text of it. */
const TEXTLESS = { toString: 0, valueOf: 0 };

function refusal(code: string): object {
  return { success: false, error: { code, message: `It is ${code}.`, details: {} } };
}

function send(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'X-Request-Id': 'request-0001',
    ...headers,
  });
  response.end(JSON.stringify(body));
}
