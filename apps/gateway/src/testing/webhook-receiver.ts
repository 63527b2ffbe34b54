import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that a receiver got. */
export interface ReceivedWebhook {
  readonly path: string;
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** An endpoint of webhooks on this machine: it keeps what it receives, and answers 200 where nothing else is said. */
export class WebhookReceiver {
  private readonly received: ReceivedWebhook[] = [];
  private readonly answers = new Map<string, (response: ServerResponse) => void>();

  private constructor(private readonly server: Server) {}

  static async open(): Promise<WebhookReceiver> {
    const server = createServer((message, response) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('end', () => {
        const path = message.url ?? '';
        const headers = message.headers as Record<string, string>;
        receiver.received.push({ path, headers, body: Buffer.concat(chunks).toString() });
        const answer = receiver.answers.get(path);
        if (answer === undefined) response.end('thank you');
        else answer(response);
      });
    });
    const receiver = new WebhookReceiver(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What a path received, in order. */
  at(path: string): readonly ReceivedWebhook[] {
    return this.received.filter((one) => one.path === `/${path}`);
  }

  answer(path: string, by: (response: ServerResponse) => void): void {
    this.answers.set(`/${path}`, by);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

/** A purchase for `POST /events/track`, without its session and context. */
export function purchase(orderId: string, total = 50): object {
  return { event_type: 'purchase', properties: { order_id: orderId, total, currency: 'EUR' } };
}

/** The order of the purchase that a webhook's body tells of. */
export function orderIn(body: string): string {
  const told = JSON.parse(body) as {
    readonly data: { readonly properties: { readonly order_id: string } };
  };
  return told.data.properties.order_id;
}
