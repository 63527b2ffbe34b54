import type { AddressInfo } from 'node:net';
import { Admission } from './admission/admission.js';
import { Edge } from './admission/edge.js';
import { type Application, createApplication } from './application.js';
import type { GatewayFoundation } from './core/gateway-foundation.js';
import { SiteDirectory } from './credentials/site-directory.js';
import { createEdgeServer, drain, listen } from './http/edge-server.js';
import { RequestCounter } from './http/request-counter.js';
import { OutstandingAnswers } from './http/outstanding-answers.js';
import { refuse } from './http/respond.js';
import { Turns } from './http/turns.js';

export interface PublicHttp {
  readonly port: number;
  readonly parts: Application['parts'];
  /** Stops accepting connections, and resolves when every current answer is sent. */
  close(): Promise<void>;
}

/** Connects the edge to the application, and opens the public port. */
export async function openPublicHttp(foundation: GatewayFoundation): Promise<PublicHttp> {
  const { config, log } = foundation;
  const server = createEdgeServer();
  const application = await createApplication(server, foundation);
  const { parts } = application;
  const sites = parts.get(SiteDirectory);
  const edge = new Edge({
    routes: application.routes,
    admission: parts.get(Admission),
    outstanding: parts.get(OutstandingAnswers),
    isOriginListed: (origin) => sites.lists(origin),
    dashboardOrigins: new Set(config.DASHBOARD_ORIGINS),
    next: application.handle,
    onAnswered: parts.get(RequestCounter).count,
    tracing: foundation.messaging.tracing,
    onError: (error, exchange) => {
      log.error({ err: error, request_id: exchange.requestId }, 'A request failed in a way that is a bug.');
      refuse(exchange, 'internal-error');
    },
  });
  server.on('request', new Turns((request, response) => edge.handle(request, response)).take);
  await listen(server, config.HTTP_PORT, config.HTTP_HOST);
  const close = async (): Promise<void> => {
    edge.drain();
    await drain(server);
    await application.close();
  };
  return { port: (server.address() as AddressInfo).port, parts, close };
}
