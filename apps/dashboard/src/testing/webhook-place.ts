import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An endpoint of webhooks on this machine: it thanks for everything. */
export class WebhookPlace {
  private constructor(private readonly server: Server) {}

  static async open(): Promise<WebhookPlace> {
    const server = createServer((message, response) => {
      message.resume();
      message.on('end', () => response.end('thank you'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new WebhookPlace(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
