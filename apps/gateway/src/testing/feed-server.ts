import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request for a feed. */
export type FeedAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/** A web server on this machine with product feeds, by their paths. */
export class FeedServer {
  /** What was asked for, in order. */
  readonly asked: { readonly url: string; readonly headers: IncomingMessage['headers'] }[] = [];
  private readonly answers = new Map<string, FeedAnswer>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<FeedServer> {
    const server = createServer((request, response) => {
      const { url = '', headers } = request;
      opened.asked.push({ url, headers });
      const answer = opened.answers.get(url);
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response);
    });
    const opened = new FeedServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return opened;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  answer(path: string, by: FeedAnswer | Buffer | string): void {
    this.answers.set(path, typeof by === 'function' ? by : (_, response) => response.end(by));
  }

  /** How often a path was asked for. */
  countOf(path: string): number {
    return this.asked.filter(({ url }) => url === path).length;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** One item of a feed in RSS. */
export function feedEntry(id: string, fields: Readonly<Record<string, string>> = {}): string {
  const all = { id, title: `Product ${id}`, price: '12.50 EUR', ...fields };
  return `<item>${Object.entries(all)
    .map(([name, value]) => `<g:${name}>${value}</g:${name}>`)
    .join('')}</item>`;
}

/** A feed in RSS 2.0. */
export function rssFeed(items: readonly string[], before = ''): string {
  return `<?xml version="1.0"?>${before}<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>
    <title>Shop</title>${items.join('\n')}</channel></rss>`;
}
