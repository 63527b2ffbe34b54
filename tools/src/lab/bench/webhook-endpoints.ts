import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Paths below it are never answered. */
export const HANGING = '/hangs';
const MS_PER_SECOND = 1_000;

/** What merchants' servers are to the product: one that answers at once, many that hang, and one with a feed. */
export class Endpoints {
  /** From the time at which an event was stored to its first delivery, in milliseconds, by event. */
  readonly delays = new Map<string, number>();
  /** When the oldest and the newest first delivery came since these were forgotten, as `performance.now()`. */
  private firstAt = 0;
  private lastAt = 0;
  hanging = 0;
  /** Of which feed each path tells; its tag is that of its content. */
  readonly feeds = new Map<string, { readonly tag: string; readonly text: string }>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<Endpoints> {
    const server = createServer((message, response) => {
      const path = message.url ?? '';
      const feed = endpoints.feeds.get(path);
      if (feed !== undefined) answerFeed(message, response, feed);
      else void endpoints.receive(path, message, response);
    });
    const endpoints = new Endpoints(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return endpoints;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Of first deliveries, from the oldest to the newest. */
  get perSecond(): number {
    return ((this.delays.size - 1) / (this.lastAt - this.firstAt)) * MS_PER_SECOND;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async receive(path: string, message: IncomingMessage, response: ServerResponse): Promise<void> {
    if (path.startsWith(HANGING)) {
      this.hanging += 1;
      return;
    }
    const cameMs = Date.now();
    const chunks: Buffer[] = [];
    for await (const chunk of message as AsyncIterable<Buffer>) chunks.push(chunk);
    response.end();
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as Told;
    if (this.delays.has(data.event_id)) return;
    this.delays.set(data.event_id, cameMs - Date.parse(data.received_at));
    this.lastAt = performance.now();
    if (this.delays.size === 1) this.firstAt = this.lastAt;
  }
}

interface Told {
  readonly data: { readonly event_id: string; readonly received_at: string };
}

function answerFeed(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { tag, text }: { readonly tag: string; readonly text: string },
): void {
  if (headers['if-none-match'] === tag) response.writeHead(304).end();
  else response.writeHead(200, { etag: tag }).end(text);
}
