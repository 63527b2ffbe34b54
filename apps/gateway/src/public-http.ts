import type { AddressInfo } from 'node:net';
import type { Provider } from '@nestjs/common';
import type { KeyringFile } from '@truetally/keyring';
import type { KafkaAskClient } from '@truetally/messaging';
import type { ObjectStore } from '@truetally/object-store';
import type { Logger } from '@truetally/platform';
import { ConsumerLagReader } from './admin/consumer-lag-reader.js';
import { HealthReader } from './admin/health-reader.js';
import { PlatformApi } from './admin/platform-api.js';
import { ReconciliationReader } from './admin/reconciliation-reader.js';
import type { GatewayConfig } from './config.js';
import { Authenticator } from './credentials/authenticate.js';
import { Gatekeeper } from './credentials/gatekeeper.js';
import type { IdTokens } from './credentials/id-token.js';
import type { KeyDirectory } from './credentials/key-directory.js';
import type { KeyUses } from './credentials/key-uses.js';
import type { MemberDirectory } from './credentials/member-directory.js';
import { RuntimeTokens } from './credentials/runtime-token.js';
import type { SiteDirectory } from './credentials/site-directory.js';
import { BatchTracker } from './events/batch-tracker.js';
import { EventStoreClient } from './events/event-store-client.js';
import { EventTracker } from './events/event-tracker.js';
import type { RefusedEvents } from './events/refused-events.js';
import { BodyBudget } from './http/body-budget.js';
import { Edge } from './http/edge.js';
import { Entrance } from './http/entrance.js';
import { createEdgeServer, drain, listen } from './http/edge-server.js';
import { createNestApplication } from './http/nest-application.js';
import type { BodyRules } from './http/read-body.js';
import type { RequestCounter } from './http/request-counter.js';
import { refuse } from './http/respond.js';
import type { HourlyLimiter } from './limits/hourly-limiter.js';
import { IntegrationSealer } from './management/integration-sealer.js';
import { KnownChanges } from './management/known-changes.js';
import { ManagementApi } from './management/management-api.js';
import { ManagementAsker } from './management/management-asker.js';
import { mediaProviders } from './media/media-providers.js';
import { CommissionRuleCreator } from './partner-attribution/commission-rules/commission-rule-creator.js';
import { ConversionRecorder } from './partner-attribution/conversions/conversion-recorder.js';
import { OrderLedgerClient } from './partner-attribution/order-ledger-client.js';
import { OrderReader } from './partner-attribution/orders/order-reader.js';
import { SiteReads } from './partner-attribution/site-reads.js';
import { TouchLedgerClient } from './partner-attribution/touches/touch-ledger-client.js';
import { TouchRecorder } from './partner-attribution/touches/touch-recorder.js';
import { RuntimeTokenIssuer } from './runtime-tokens/runtime-token-issuer.js';
import type { CampaignDirectory } from './storefront/campaign-directory.js';
import { StorefrontCampaigns } from './storefront/storefront-campaigns.js';

/** Interface page, section 1: 1 MiB but on routes that say otherwise. */
const BODY_LIMIT_BYTES = 1024 * 1024;
const CONVERSION_BODY_LIMIT_BYTES = 4 * 1024 * 1024;
const BODY_TIMEOUT_MS = 15_000;
/** Of all bodies that are arriving at the same time. */
const BODY_BUDGET_BYTES = 96 * 1024 * 1024;

export interface PublicHttpParts {
  readonly config: Pick<
    GatewayConfig,
    'ADMIN_SECRET' | 'mediaBaseUrl' | 'DASHBOARD_ORIGINS' | 'HTTP_HOST' | 'HTTP_PORT' | 'RUNTIME_TOKEN_KEYS'
  >;
  readonly log: Logger;
  readonly sites: SiteDirectory;
  readonly apiKeys: KeyDirectory;
  readonly keyUses: KeyUses;
  readonly members: MemberDirectory;
  readonly campaigns: CampaignDirectory;
  /** Undefined where no issuer is configured. */
  readonly idTokens: IdTokens | undefined;
  readonly keyring: KeyringFile;
  readonly limiter: HourlyLimiter;
  readonly asker: Pick<KafkaAskClient, 'ask' | 'askForBytes' | 'isAccepting'>;
  readonly refusedEvents: RefusedEvents;
  readonly health: HealthReader;
  readonly consumers: ConsumerLagReader;
  readonly counter: RequestCounter;
  readonly mediaStore: ObjectStore;
}

export interface PublicHttp {
  readonly port: number;
  /** Takes no new connection, and resolves when every answer under way is out. */
  close(): Promise<void>;
}

/** Puts the edge before the application, and opens the public port. */
export async function openPublicHttp(parts: PublicHttpParts): Promise<PublicHttp> {
  const { config, log, sites, limiter, counter } = parts;
  const tokens = new RuntimeTokens(config.RUNTIME_TOKEN_KEYS, Date.now);
  const authenticator = new Authenticator({
    sites,
    keys: parts.apiKeys,
    keyUses: parts.keyUses,
    members: parts.members,
    runtimeTokens: tokens,
    idTokens: parts.idTokens,
    nowMs: Date.now,
  });
  const server = createEdgeServer();
  const application = await createNestApplication(server, providersOf(parts, tokens, authenticator), log);
  const edge = new Edge({
    routes: application.routes,
    gatekeeper: new Gatekeeper(authenticator, config.ADMIN_SECRET),
    limiter,
    isOriginListed: (origin) => sites.lists(origin),
    dashboardOrigins: new Set(config.DASHBOARD_ORIGINS),
    next: application.handle,
    onAnswered: counter.count,
    onError: (error, exchange) => {
      log.error({ err: error, request_id: exchange.requestId }, 'A request failed in a way that is a bug.');
      refuse(exchange, 'internal-error');
    },
  });
  server.on('request', (request, response) => edge.handle(request, response));
  await listen(server, config.HTTP_PORT, config.HTTP_HOST);
  const close = async (): Promise<void> => {
    edge.drain();
    await drain(server);
    await application.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

function providersOf(
  parts: PublicHttpParts,
  tokens: RuntimeTokens,
  authenticator: Authenticator,
): Provider[] {
  const { limiter, asker, refusedEvents, sites, campaigns, health } = parts;
  const bodyRules: BodyRules = {
    limitBytes: BODY_LIMIT_BYTES,
    timeoutMs: BODY_TIMEOUT_MS,
    budget: new BodyBudget(BODY_BUDGET_BYTES),
  };
  const isServing = (): boolean => asker.isAccepting();
  const entrance = new Entrance({ authenticator, limiter, bodyRules, isServing });
  const client = new EventStoreClient(asker);
  const touches = new TouchLedgerClient(asker);
  const orders = new OrderLedgerClient(asker);
  const reads = new SiteReads(entrance, sites);
  const managementAsker = new ManagementAsker(asker);
  const api = new ManagementApi(entrance, managementAsker);
  const conversionEntrance = new Entrance({
    authenticator,
    limiter,
    bodyRules: { ...bodyRules, limitBytes: CONVERSION_BODY_LIMIT_BYTES },
    isServing,
  });
  return [
    { provide: EventTracker, useValue: new EventTracker(entrance, client, refusedEvents) },
    { provide: BatchTracker, useValue: new BatchTracker(entrance, client, refusedEvents) },
    { provide: RuntimeTokenIssuer, useValue: new RuntimeTokenIssuer(sites, tokens, bodyRules) },
    { provide: TouchRecorder, useValue: new TouchRecorder(entrance, sites, parts.keyring, touches) },
    { provide: ConversionRecorder, useValue: new ConversionRecorder(conversionEntrance, orders) },
    { provide: OrderReader, useValue: new OrderReader(reads, orders) },
    { provide: CommissionRuleCreator, useValue: new CommissionRuleCreator(entrance, sites, orders) },
    { provide: SiteReads, useValue: reads },
    { provide: OrderLedgerClient, useValue: orders },
    { provide: TouchLedgerClient, useValue: touches },
    { provide: PlatformApi, useValue: new PlatformApi(managementAsker, bodyRules) },
    { provide: KnownChanges, useValue: new KnownChanges(sites, parts.apiKeys, parts.members, campaigns) },
    { provide: StorefrontCampaigns, useValue: new StorefrontCampaigns(entrance, campaigns, Date.now) },
    { provide: ManagementApi, useValue: api },
    ...mediaProviders({ entrance, api, store: parts.mediaStore, mediaBaseUrl: parts.config.mediaBaseUrl }),
    { provide: IntegrationSealer, useValue: new IntegrationSealer(parts.keyring) },
    { provide: HealthReader, useValue: health },
    { provide: ConsumerLagReader, useValue: parts.consumers },
    { provide: ReconciliationReader, useValue: new ReconciliationReader(asker) },
  ];
}
