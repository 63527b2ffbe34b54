import {
  Agent,
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo } from 'node:net';
import { eventually, isReady } from '@truetally/processes';
import { type LaunchedProduct, type LocalGateway } from '@truetally/testing-product';

/** As the chart's readiness probe. */
const PROBE_MS = 2_000;
const FAILURES_TO_LEAVE = 2;
const KEEP_ALIVE_MS = 600_000;
const BAD_GATEWAY = 502;
const UNAVAILABLE = 503;
const NOTICED = { timeoutMs: 120_000, message: 'the balancer to see a new gateway' };

interface Endpoint {
  readonly port: number;
  isReady: boolean;
  failures: number;
}

/**
 * A Service with its proxy: requests go in turn to the gateways that are ready and do not terminate. Without one it answers
 * 503 itself, in a way that no client of the product may ever see.
 */
export class Balancer {
  private readonly endpoints = new Map<LocalGateway, Endpoint>();
  private readonly agent = new Agent({ keepAlive: true });
  private readonly timer: NodeJS.Timeout;
  private turn = 0;

  private constructor(
    private readonly product: LaunchedProduct,
    private readonly server: Server,
  ) {
    this.timer = setInterval(() => void this.probe(), PROBE_MS);
    server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
      this.pass(incoming, response);
    });
  }

  static async open(product: LaunchedProduct): Promise<Balancer> {
    // Longer than any client keeps an idle connection, so that none is closed under a request.
    const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const balancer = new Balancer(product, server);
    await balancer.probe();
    return balancer;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/api/v1`;
  }

  /** How many gateways get requests. */
  get size(): number {
    return this.serving().length;
  }

  /** Resolves when the gateway gets requests. */
  async serves(gateway: LocalGateway): Promise<void> {
    await eventually(() => this.endpoints.get(gateway)?.isReady, NOTICED);
  }

  /** Its pod terminates: it gets no further request. */
  leave(gateway: LocalGateway): void {
    this.endpoints.delete(gateway);
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    this.agent.destroy();
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async probe(): Promise<void> {
    const { gateways } = this.product;
    for (const known of this.endpoints.keys()) if (!gateways.includes(known)) this.endpoints.delete(known);
    await Promise.all(
      gateways.map(async (gateway) => {
        const isServing = await isReady(gateway.operationsPort).catch(() => false);
        const known = this.endpoints.get(gateway);
        if (known === undefined) {
          const port = Number(new URL(gateway.baseUrl).port);
          this.endpoints.set(gateway, { port, isReady: isServing, failures: 0 });
          return;
        }
        known.failures = isServing ? 0 : known.failures + 1;
        if (isServing) known.isReady = true;
        else if (known.failures >= FAILURES_TO_LEAVE) known.isReady = false;
      }),
    );
  }

  private serving(): readonly Endpoint[] {
    return [...this.endpoints.values()].filter((endpoint) => endpoint.isReady);
  }

  private pass(incoming: IncomingMessage, response: ServerResponse): void {
    const serving = this.serving();
    const chosen = serving[this.turn++ % serving.length];
    if (chosen === undefined) return void response.writeHead(UNAVAILABLE).end('no endpoint');
    const { method, headers, url: path } = incoming;
    const onward = request({
      host: '127.0.0.1',
      port: chosen.port,
      method,
      path,
      headers,
      agent: this.agent,
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? BAD_GATEWAY, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', (error) => {
      if (response.headersSent) response.destroy(error);
      else response.writeHead(BAD_GATEWAY).end(`the gateway does not answer: ${error.message}`);
    });
    response.on('close', () => {
      if (!response.writableFinished) onward.destroy();
    });
    incoming.pipe(onward);
  }
}
