import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.js';
import { withinTime } from './within-time.js';

/** Where the operations server listens, and what it reports. */
export interface OperationsOptions {
  readonly host: string;
  /** 0 means that the system chooses one. */
  readonly port: number;
  readonly metrics: Metrics;
  /** Each condition of readiness by name, and whether it holds now. */
  readonly ready: () => Promise<Readonly<Record<string, boolean>>>;
}

/** The operations server of a process. */
export interface Operations {
  readonly port: number;
  close(): Promise<void>;
}

const READY_TIMEOUT_MS = 2_000;

/**
 * The operations port of a process (HTTP interface, section 11): `/health/live`, `/health/ready`, `/metrics`.
 * It is never the public port. It opens first, so that a starting process is live and not ready.
 */
export async function startOperations(options: OperationsOptions): Promise<Operations> {
  const server = createServer((request, response) => {
    answer(request, response, options).catch(() => send(response, 500, { status: 'error' }));
  });
  await listen(server, options.port, options.host);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: OperationsOptions,
): Promise<void> {
  const path = (request.url ?? '').split('?', 1)[0];
  if (path === '/health/live') return send(response, 200, { status: 'live' });
  if (path === '/health/ready') {
    const dependencies = await readiness(options);
    const isReady = Object.values(dependencies).every(Boolean);
    return send(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', dependencies });
  }
  if (path === '/metrics') {
    const text = await options.metrics.text();
    response.writeHead(200, { 'content-type': options.metrics.contentType }).end(text);
    return;
  }
  send(response, 404, { status: 'not found' });
}

/** A dependency without an answer in time is not ready: a probe must never hang. */
async function readiness(options: OperationsOptions): Promise<Readonly<Record<string, boolean>>> {
  try {
    return await withinTime(options.ready(), READY_TIMEOUT_MS, { answered_in_time: false });
  } catch {
    return { check_failed: false };
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
