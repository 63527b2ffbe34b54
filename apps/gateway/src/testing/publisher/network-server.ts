import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A network's answer to one call. */
export type Replay = (request: IncomingMessage, response: ServerResponse) => void;

/** A network that replays given answers, and records its requests. */
export class NetworkServer {
  /** Addresses and tokens, in order. */
  readonly asked: { readonly url: string; readonly token: string | undefined }[] = [];
  private readonly once: Replay[] = [];
  private usual: Replay = json([]);

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.asked.push({ url: request.url ?? '', token: request.headers.authorization });
      (this.once.shift() ?? this.usual)(request, response);
    });
  }

  static async start(): Promise<NetworkServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new NetworkServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Sets the usual answer; the first calls get `first` instead. */
  answer(usual: Replay, ...first: readonly Replay[]): void {
    this.usual = usual;
    this.once.splice(0, this.once.length, ...first);
  }

  stop(): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

export function json(value: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Replay {
  return (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(value));
  };
}

/** Declares its length, and closes the connection early. */
export const half: Replay = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
  response.write('[{"id":1,');
  setImmediate(() => response.destroy());
};

/** Keeps who asks waiting, until that process ends or loses its patience. */
export const unanswered: Replay = () => undefined;

/** Awin's documented format of one transaction. */
export function transaction(said: Readonly<Record<string, unknown>> = {}): object {
  return {
    id: 259630312,
    commissionStatus: 'pending',
    commissionAmount: { amount: 5.59, currency: 'GBP' },
    saleAmount: { amount: 55.96, currency: 'GBP' },
    clickRefs: { clickRef: 'pulled-ref' },
    transactionDate: '2026-03-10T12:00:00',
    validationDate: null,
    orderRef: 'order-1',
    ...said,
  };
}
