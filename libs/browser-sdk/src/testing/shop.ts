import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ShopPage {
  /** Of the page's head. */
  readonly head: string;
  readonly body?: string;
  /** `Content-Security-Policy`. */
  readonly policy?: string;
}

/** A storefront: pages by their path, and scripts of its own under `.js`. */
export class Shop {
  readonly pages = new Map<string, ShopPage>();
  readonly scripts = new Map<string, string>();

  private constructor(
    private readonly server: Server,
    readonly origin: string,
  ) {}

  static async open(): Promise<Shop> {
    const server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://localhost').pathname;
      const script = shop.scripts.get(path);
      if (script !== undefined) return void response.setHeader('Content-Type', 'text/javascript').end(script);
      const page = shop.pages.get(path);
      if (page === undefined) return void response.writeHead(404).end();
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      if (page.policy !== undefined) response.setHeader('Content-Security-Policy', page.policy);
      response.end(
        `<!doctype html><html lang="en"><head><title>Shop</title><link rel="icon" href="data:,">${page.head}</head><body>${page.body ?? ''}</body></html>`,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const shop = new Shop(server, `http://localhost:${(server.address() as AddressInfo).port}`);
    return shop;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
