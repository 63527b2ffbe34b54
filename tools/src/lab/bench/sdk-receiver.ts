import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

const EVENT = /event-(\d+)\./g;
const TOKEN_SECONDS = 900;

/**
 * A receiver of every SDK's events, and the shop that they come from, on one address: it takes all, answers ours as
 * the service does, and notes which events have come.
 */
export class SdkReceiver {
  readonly events = new Set<string>();
  /** Of all requests with events: their bodies. */
  sentBytes = 0;
  /** Of the scripts of a page, compressed. */
  scriptBytes = 0;
  private readonly files = new Map<string, { readonly type: string; readonly content: Buffer }>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  static async open(): Promise<SdkReceiver> {
    const receiver = new SdkReceiver();
    await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  put(path: string, type: string, content: string | Buffer): void {
    this.files.set(path, { type, content: gzipSync(content, { level: 9 }) });
  }

  forget(): void {
    this.events.clear();
    this.sentBytes = 0;
    this.scriptBytes = 0;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? '/', this.origin);
    const file = this.files.get(pathname);
    if (file !== undefined) {
      if (file.type === 'text/javascript') this.scriptBytes += file.content.length;
      response.setHeader('Content-Type', file.type).setHeader('Content-Encoding', 'gzip').end(file.content);
      return;
    }
    const body = await bodyOf(request);
    const text = decodeURIComponent(search) + inClear(body);
    const numbers = [...text.matchAll(EVENT)].map(([, number]) => String(number));
    for (const number of numbers) this.events.add(number);
    if (numbers.length > 0) this.sentBytes += Buffer.byteLength(body) + search.length;
    response
      .setHeader('Access-Control-Allow-Origin', request.headers.origin ?? '*')
      .setHeader('Access-Control-Allow-Credentials', 'true')
      .setHeader('Access-Control-Allow-Headers', request.headers['access-control-request-headers'] ?? '*')
      .setHeader('Content-Type', 'application/json')
      .end(JSON.stringify(answerTo(pathname, numbers.length)));
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // The page has gone: what has come of it counts.
  }
  return Buffer.concat(chunks).toString();
}

/** What a page sends as it is left comes in base64 from one of them. */
function inClear(body: string): string {
  const encoded = /^data=([\w%/+=]+)$/.exec(body)?.[1];
  return encoded === undefined ? body : Buffer.from(decodeURIComponent(encoded), 'base64').toString();
}

function answerTo(path: string, count: number): object {
  if (path.endsWith('/runtime/tokens')) {
    const expires_at = new Date(Date.now() + TOKEN_SECONDS * 1_000).toISOString();
    return { success: true, data: { token: 'token', expires_in: TOKEN_SECONDS, expires_at } };
  }
  if (path.endsWith('/events/batch')) {
    const results = Array.from({ length: count }, (_, index) => ({ index, status: 'stored' }));
    return { success: true, data: { results } };
  }
  // What RudderStack asks for before it sends.
  if (path.endsWith('/sourceConfig/')) return SOURCE_CONFIG;
  return { success: true, status: 1 };
}

const SOURCE_CONFIG = {
  source: {
    id: 'source',
    name: 'shop',
    writeKey: 'rudder-write-key-000000000',
    workspaceId: 'workspace',
    enabled: true,
    connections: [],
    destinations: [],
    config: { statsCollection: { errors: { enabled: false }, metrics: { enabled: false } } },
    dataplanes: {},
  },
};
