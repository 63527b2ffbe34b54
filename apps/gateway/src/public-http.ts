import type { AddressInfo } from 'node:net';
import { KafkaAskClient } from '@truetally/messaging';
import { OpenStreams } from './analytics/stream-events/open-streams.js';
import { Authenticator } from './credentials/authenticate.js';
import { MemberDirectory } from './credentials/member-directory.js';
import { BATCH_BOUNDS, HolderTurns } from './http/holder-turns.js';
import { AdminSecret } from './door/admin-secret.js';
import { BodyReader } from './door/steps/body.js';
import { HourlyLimiter } from './limits/hourly-limiter.js';
import { VisitorShares } from './limits/visitor-shares.js';
import { Edge } from './door/edge.js';
import { type Application, createApplication } from './application.js';
import type { GatewayFoundation } from './core/gateway-foundation.js';
import { SiteDirectory } from './credentials/site-directory.js';
import { openLane } from './door/lane/lane.js';
import { answersTimeoutMs, createEdgeServer, drain, listen, Turns } from './door/server.js';
import { OutstandingAnswers, RequestCounter } from './http/answers.js';
import { refuse } from './http/respond.js';
import { RefusalTeller } from './refusals/refusal-teller.js';

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
  const refusals = parts.get(RefusalTeller);
  const adminServer = config.ADMIN_PORT === 0 ? undefined : createEdgeServer();
  const { presence } = parts.get(BodyReader);
  const monotonicMs = (): number => performance.now();
  const edge = new Edge({
    routes: application.routes,
    authenticator: parts.get(Authenticator),
    adminSecret: parts.get(AdminSecret),
    adminPort: adminServer === undefined ? undefined : config.ADMIN_PORT,
    limiter: parts.get(HourlyLimiter),
    visitors: parts.get(VisitorShares),
    bodies: parts.get(BodyReader),
    turns: new HolderTurns(monotonicMs, presence),
    batchTurns: new HolderTurns(monotonicMs, presence, BATCH_BOUNDS),
    members: parts.get(MemberDirectory),
    outstanding: parts.get(OutstandingAnswers),
    isOriginListed: (origin) => sites.lists(origin),
    asker: parts.get(KafkaAskClient),
    dashboardOrigins: new Set(config.DASHBOARD_ORIGINS),
    onAnswered: parts.get(RequestCounter).count,
    onRefused: (exchange, status) => {
      refusals.addRequest(exchange, status);
      const { requestId: request_id, failure: reason } = exchange;
      if (reason !== undefined) log.error({ request_id, reason }, 'A service could not answer a request.');
    },
    tracing: foundation.messaging.tracing,
    onError: (error, exchange) => {
      log.error({ err: error, request_id: exchange.requestId }, 'A request failed in a way that is a bug.');
      refuse(exchange, 'internal-error');
    },
  });
  const turns = new Turns(edge.handle);
  server.on('request', turns.take);
  openLane(server, edge.handle, turns.room);
  adminServer?.on('request', turns.take);
  if (adminServer !== undefined) await listen(adminServer, config.ADMIN_PORT, config.HTTP_HOST);
  await listen(server, config.HTTP_PORT, config.HTTP_HOST);
  const close = async (): Promise<void> => {
    edge.drain();
    parts.get(OpenStreams).drain();
    const timeoutMs = answersTimeoutMs(config.SHUTDOWN_TIMEOUT_MS);
    await Promise.all([server, adminServer].map((one) => one && drain(one, timeoutMs)));
    await application.close();
  };
  return { port: (server.address() as AddressInfo).port, parts, close };
}
