import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import {
  ID_TOKEN_AUDIENCE,
  type IssuerPlace,
  issuerUrl,
  type LocalServer,
  settleAll,
  spawnService,
  startIssuer,
  startKafka,
  startPostgres,
} from '@truetally/processes';
import {
  type Installation,
  migrateProduct,
  programsPath,
  serviceEnvironment,
} from '@truetally/testing-product';
import { type DemoShop, demoShop } from '../demo/demo-shop.js';
import { type DemoTokens, mintDemoTokens, renewDemoTokens } from '../demo/demo-tokens.js';
import { showReports } from '../demo/merchant-reports.js';
import { playForgottenCustomer } from '../demo/forgotten-customer.js';
import { playPartnerExperiment } from '../demo/partner-experiment.js';
import { playPartnerOrder } from '../demo/partner-order.js';
import { playPublisherDay } from '../demo/publisher-day.js';
import { CUP, playRecommendations } from '../demo/recommended-products.js';
import { openSecondShop } from '../demo/second-shop/second-shop.js';
import { receiveWebhooks } from '../demo/second-shop/webhook-receiver.js';
import { playShoppingSession } from '../demo/shopping-session.js';
import {
  allowStorefront,
  launchStorefrontCampaigns,
  newLanding,
  serveStorefront,
} from '../demo/storefront.js';
import { playWebhook } from '../demo/webhook.js';
import { boundLogs } from './bounded-logs.js';
import { type StackConfiguration } from './configuration.js';
import { LOCAL_ROLE_PREFIX, type LocalFolder } from './local-folder.js';
import { writePrivateJson } from './private-file.js';
import { stackIssuerKeys, stackKeyring, type StackSecrets, stackSecrets } from './stack-secrets.js';
import { type StopSignal } from './stop-signal.js';
import { type Supervisor } from './supervisor.js';
import { signInUrls, welcome } from './welcome.js';

export interface BringUp {
  readonly folder: LocalFolder;
  readonly configuration: StackConfiguration;
  readonly supervisor: Supervisor;
  readonly say: (line: string) => void;
  readonly stop: StopSignal;
}

export interface RunningStack {
  /** Rewrites the stack file with the current process ids. */
  readonly publish: () => void;
}

const HOST = '127.0.0.1';
const SUPERUSER = 'truetally';

/** Starts everything in order. Resolves when the stack file is written. */
export async function bringUp(context: BringUp): Promise<RunningStack> {
  const { folder, configuration, supervisor, say, stop } = context;
  const startedAt = performance.now();
  boundLogs(folder.logs);
  const installation = await startServers(context);
  stop.throwIfStopped();
  await settleAll([
    ...SERVICE_NAMES.map((service) => startService(service, installation, context)),
    startDashboard(installation, context),
  ]);
  stop.throwIfStopped();
  const baseUrl = `http://${HOST}:${configuration.ports.GATEWAY_PORT}/api/v1`;
  const shop = await demoShop(folder.demo, baseUrl, installation);
  stop.throwIfStopped();
  let recommended: string | undefined;
  if (configuration.withDemoTraffic) {
    await playShoppingSession(baseUrl, shop, installation, say);
    await playPartnerOrder(baseUrl, shop, say);
    const { owner } = await mintDemoTokens(installation.issuer);
    await playPublisherDay(baseUrl, shop, owner, say);
    await showReports(baseUrl, shop, owner, say);
    recommended = await playRecommendations(baseUrl, shop, owner, say);
    await playWebhook(baseUrl, shop, owner, say);
    await playForgottenCustomer(baseUrl, shop, owner, say);
  }
  stop.throwIfStopped();
  let tokens = await mintDemoTokens(installation.issuer);
  const { origin: storefront } = await serveStorefront(
    configuration.ports.STOREFRONT_PORT,
    baseUrl,
    {
      siteId: shop.siteId,
      ...(recommended !== undefined && { recommended: { campaignId: recommended, productId: CUP } }),
    },
    stop.promise,
  );
  await allowStorefront(baseUrl, shop, tokens.owner, storefront);
  if (configuration.withDemoTraffic) await launchStorefrontCampaigns(baseUrl, shop, tokens.owner);
  if (configuration.withDemoTraffic) await playPartnerExperiment(baseUrl, shop, tokens.owner, say);
  stop.throwIfStopped();
  const publish = (): void => {
    const parts = { installation, configuration, shop, storefront, tokens, pids: supervisor.pids };
    writePrivateJson(folder.stackFile, describeStack(parts));
  };
  publish();
  const renew = (renewed: DemoTokens): void => {
    tokens = renewed;
    publish();
  };
  renewDemoTokens(installation.issuer, renew, stop.promise);
  const receiver = await receiveWebhooks(configuration.ports.RECEIVER_PORT, stop.promise);
  say(
    welcome({
      baseUrl,
      shop,
      folder,
      installation,
      seconds: (performance.now() - startedAt) / 1000,
      storefront: { page: `${storefront}/`, landing: storefront + newLanding() },
      dashboardUrl: `${configuration.dashboardOrigins[0]}/dashboard/`,
    }),
  );
  if (configuration.withWholeDemo) {
    const { workspaceId } = shop;
    const merchant = { baseUrl, workspaceId, ownerToken: tokens.owner, installation, receiver, say };
    void openSecondShop(merchant).catch((error: unknown) => {
      if (!stop.hasStopped()) say(`The rest of the demo could not be made: ${String(error)}`);
    });
  }
  return { publish };
}

/** Kafka and Postgres, unless external ones are configured, and the migrations: concurrently where possible. */
async function startServers(context: BringUp): Promise<Installation> {
  const { folder, configuration, supervisor, say, stop } = context;
  const { ports, externalKafka, externalDatabase } = configuration;
  const secrets = stackSecrets(folder.secrets);
  const keyringFile = stackKeyring(folder.keyring);
  const issuer = {
    port: ports.OIDC_PORT,
    keysFile: await stackIssuerKeys(folder.issuerKeys),
    clientId: ID_TOKEN_AUDIENCE,
    dashboardOrigins: configuration.dashboardOrigins,
  };
  const shared = { secrets, keyringFile, mediaDirectory: folder.media, issuer };
  const startedAt = performance.now();
  const watch = <T extends LocalServer>(name: string, server: T): T => {
    supervisor.watch(name, server);
    say(`${name} serves after ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
    return server;
  };
  const kafka = async (): Promise<string> => {
    if (externalKafka !== null) return externalKafka;
    const options = { dataDir: folder.kafka, logFile: join(folder.logs, 'kafka.log') };
    const { KAFKA_PORT: port, KAFKA_CONTROLLER_PORT: controllerPort } = ports;
    return watch('kafka', await startKafka({ ...options, port, controllerPort })).brokers;
  };
  const postgres = async (): Promise<string> => {
    if (externalDatabase !== null) return externalDatabase;
    const options = { dataDir: folder.postgres, logFile: join(folder.logs, 'postgres.log') };
    const login = { user: SUPERUSER, password: secrets.postgresPassword };
    return watch('postgres', await startPostgres({ ...options, ...login, port: ports.POSTGRES_PORT })).url;
  };
  const migratedDatabase = async (): Promise<string> => {
    const databaseUrl = await postgres();
    stop.throwIfStopped();
    const log = join(folder.logs, 'migrations.log');
    const kafkaBrokers = externalKafka ?? `${HOST}:${ports.KAFKA_PORT}`;
    const analytics = { ...configuration.handedOn, CLICKHOUSE_KAFKA_BROKERS: kafkaBrokers };
    await migrateProduct(installationOf('', databaseUrl, shared), { logFile: log, env: { analytics } });
    return databaseUrl;
  };
  const oidc = async (): Promise<void> => {
    watch('oidc', await startIssuer(issuer, join(folder.logs, 'oidc.log')));
  };
  const [kafkaBrokers, databaseUrl] = await settleAll([kafka(), migratedDatabase(), oidc()]);
  return installationOf(kafkaBrokers, databaseUrl, shared);
}

interface Shared {
  readonly secrets: StackSecrets;
  readonly keyringFile: string;
  readonly mediaDirectory: string;
  readonly issuer: IssuerPlace;
}

function installationOf(
  kafkaBrokers: string,
  databaseUrl: string,
  { secrets, keyringFile, mediaDirectory, issuer }: Shared,
): Installation {
  return {
    kafkaBrokers,
    databaseUrl,
    topicPrefix: '',
    schemaPrefix: '',
    rolePrefix: LOCAL_ROLE_PREFIX,
    secrets: secrets.product,
    keyringFile,
    mediaDirectory,
    issuer,
  };
}

async function startService(
  service: ServiceName,
  installation: Installation,
  { folder, configuration, supervisor, say }: BringUp,
): Promise<void> {
  const { ports, operationsPorts, handedOn, dashboardOrigins } = configuration;
  const http = {
    HTTP_HOST: HOST,
    HTTP_PORT: String(ports.GATEWAY_PORT),
    DASHBOARD_ORIGINS: dashboardOrigins.join(','),
  };
  const running = await spawnService({
    app: service,
    programs: programsPath(service),
    env: {
      ...serviceEnvironment(installation, service),
      ALLOW_PRIVATE_NETWORKS: configuration.allowedNetworks.join(','),
      ...handedOn,
      ...(service === 'gateway' ? http : {}),
      OPERATIONS_PORT: String(operationsPorts[service]),
    },
    logFile: join(folder.logs, `${service}.log`),
  });
  supervisor.watch(service, running);
  say(`${service} is ready.`);
}

/** The pages for merchants; they know the gateway and the issuer, and nothing of the rest. */
async function startDashboard(
  { issuer }: Installation,
  { folder, configuration, supervisor, say }: BringUp,
): Promise<void> {
  const { ports } = configuration;
  const running = await spawnService({
    app: 'dashboard',
    env: {
      HTTP_HOST: HOST,
      HTTP_PORT: String(ports.DASHBOARD_PORT),
      OPERATIONS_PORT: String(ports.DASHBOARD_OPERATIONS_PORT),
      DASHBOARD_API_BASE_URL: `http://${HOST}:${ports.GATEWAY_PORT}/api/v1`,
      OIDC_ISSUER: issuerUrl(issuer),
      OIDC_AUDIENCE: ID_TOKEN_AUDIENCE,
    },
    logFile: join(folder.logs, 'dashboard.log'),
  });
  supervisor.watch('dashboard', running);
  say('dashboard is ready.');
}

interface StackParts {
  readonly installation: Installation;
  readonly configuration: StackConfiguration;
  readonly shop: DemoShop;
  readonly storefront: string;
  readonly tokens: DemoTokens;
  readonly pids: Readonly<Record<string, number>>;
}

function describeStack({ installation, configuration, shop, storefront, tokens, pids }: StackParts): object {
  const { ports, operationsPorts, dashboardOrigins } = configuration;
  const address = `http://${HOST}:${ports.GATEWAY_PORT}`;
  return {
    base_url: `${address}/api/v1`,
    browser_sdk_url: `${address}/sdk/v1/truetally.js`,
    storefront_url: `${storefront}/`,
    admin_url: `${address}/api/admin`,
    admin_secret: installation.secrets.adminSecret,
    worker_secret: installation.secrets.workerSecret,
    allow_private_webhooks: configuration.allowedNetworks,
    webhook_receiver_url: `http://${HOST}:${ports.RECEIVER_PORT}/`,
    workspace_id: shop.workspaceId,
    site_id: shop.siteId,
    origin: shop.origin,
    api_key: shop.apiKey,
    oidc_issuer: issuerUrl(installation.issuer),
    id_tokens: tokens,
    dashboard_origin: dashboardOrigins[0],
    dashboard_url: `${dashboardOrigins[0]}/dashboard/`,
    sign_in_urls: signInUrls(`${dashboardOrigins[0]}/dashboard/`),
    kafka_brokers: installation.kafkaBrokers,
    database_url: installation.databaseUrl,
    keyring_file: installation.keyringFile,
    operations: { ...operationsPorts, dashboard: ports.DASHBOARD_OPERATIONS_PORT },
    pids,
  };
}
