import { randomUUID } from 'node:crypto';
import { MANAGEMENT_TOPICS, TOPICS } from '@truetally/contracts/topics';
import { CompactedTable, KafkaAskClient, Messaging, METRICS } from '@truetally/messaging';
import { createPool } from '@truetally/persistence';
import { type Logger, Metrics, startOperations, recordDescribed } from '@truetally/platform';
import { ConsumerLagReader } from './admin/consumer-lag-reader.js';
import { HealthReader } from './admin/health-reader.js';
import type { GatewayConfig } from './config.js';
import { applyCredential, applyMember, applySite, type OnUnreadable } from './credentials/directory-feed.js';
import { IdTokens } from './credentials/id-token.js';
import { IssuerKeys } from './credentials/issuer-keys.js';
import { KeyDirectory } from './credentials/key-directory.js';
import { KeyUses } from './credentials/key-uses.js';
import { MemberDirectory } from './credentials/member-directory.js';
import { openKeyring } from './credentials/open-keyring.js';
import { SiteDirectory } from './credentials/site-directory.js';
import { RefusedEvents } from './events/refused-events.js';
import { RequestCounter } from './http/request-counter.js';
import { HourlyLimiter } from './limits/hourly-limiter.js';
import { openMediaStore } from './media/open-media-store.js';
import { openPublicHttp } from './public-http.js';
import { LimitStore } from './storage/limit.store.js';
import { CampaignDirectory } from './storefront/campaign-directory.js';
import { applyCampaign } from './storefront/campaign-feed.js';

export interface Gateway {
  readonly httpPort: number;
  readonly operationsPort: number;
  /** Takes nothing new, answers what is under way, then lets go of Kafka and Postgres. */
  close(): Promise<void>;
}

/** One carries the consumptions, the other housekeeping and probes. */
const DATABASE_CONNECTIONS = 2;
const LIMIT_STATEMENT_TIMEOUT_MS = 3_000;
/** During an outage every call fails, many times a second; one line tells it. */
const OUTAGE_LOG_INTERVAL_MS = 1_000;
const FORGET_HOURS_INTERVAL_MS = 600_000;

/** Builds the gateway from its parts and opens its ports: the operations port first, the public one when all is there. */
export async function startGateway(config: GatewayConfig, log: Logger): Promise<Gateway> {
  const metrics = new Metrics('gateway');
  let probe: () => Promise<Record<string, boolean>> = () => Promise.resolve({ started: false });
  const operations = await startOperations({
    host: config.OPERATIONS_HOST,
    port: config.OPERATIONS_PORT,
    metrics,
    ready: () => probe(),
  });
  const keys = openKeyring(config.KEYRING_FILE, log, metrics);
  const messaging = await connectMessaging(config, log, metrics);
  const directories = await openDirectories(messaging, log);
  const limits = openLimits(config, log);
  const media = await openMediaStore(config.mediaStore, log);
  const asker = new KafkaAskClient(messaging);
  await asker.connect();
  const health = new HealthReader({
    kafka: () => messaging.healthy(),
    sites: () => directories.siteTable.healthy(),
    credentials: () => directories.keyTable.healthy(),
    members: () => directories.memberTable.healthy(),
    campaigns: () => directories.campaignTable.healthy(),
    postgres: () => limits.store.isReachable(),
  });
  const keyUses = openKeyUses(config, asker, log);
  const refusedEvents = new RefusedEvents(asker, log);
  const counter = new RequestCounter(metrics);
  const http = await openPublicHttp({
    config,
    log,
    sites: directories.sites,
    apiKeys: directories.keys,
    keyUses,
    members: directories.members,
    campaigns: directories.campaigns,
    idTokens: openIdTokens(config, log),
    keyring: keys,
    limiter: limits.limiter,
    asker,
    refusedEvents,
    health,
    consumers: new ConsumerLagReader(messaging, log),
    counter,
    mediaStore: media.store,
  });
  probe = () => health.read();
  return {
    httpPort: http.port,
    operationsPort: operations.port,
    close: async () => {
      probe = () => Promise.resolve({ draining: false });
      await http.close();
      await refusedEvents.close();
      await keyUses.close();
      await asker.close();
      await directories.close();
      await messaging.close();
      await limits.close();
      await media.close();
      keys.close();
      counter.close();
      await operations.close();
    },
  };
}

async function connectMessaging(config: GatewayConfig, log: Logger, metrics: Metrics): Promise<Messaging> {
  const messaging = new Messaging({
    brokers: config.KAFKA_BROKERS,
    clientId: 'gateway',
    instance: config.INSTANCE_ID,
    topicPrefix: config.KAFKA_TOPIC_PREFIX,
    log,
    onMetric: recordDescribed(metrics, METRICS),
  });
  await messaging.start();
  await messaging.ensureTopics([
    TOPICS.storeEvents,
    TOPICS.reconcileEvents,
    TOPICS.recordConversion,
    TOPICS.recordTouches,
    TOPICS.readOrder,
    TOPICS.listTouches,
    TOPICS.createCommissionRule,
    TOPICS.listCommissionRules,
    ...MANAGEMENT_TOPICS,
    TOPICS.sites,
    TOPICS.credentials,
    TOPICS.members,
    TOPICS.campaigns,
  ]);
  return messaging;
}

async function openDirectories(messaging: Messaging, log: Logger) {
  const sites = new SiteDirectory();
  const keys = new KeyDirectory();
  const members = new MemberDirectory();
  const campaigns = new CampaignDirectory();
  const onUnreadable: OnUnreadable = (topic, key, fault) => {
    log.error({ topic, record: key, fault }, 'A fact cannot be read; what it is about is refused.');
  };
  const [siteTable, keyTable, memberTable, campaignTable] = await Promise.all([
    CompactedTable.open(messaging, {
      topic: TOPICS.sites.name,
      apply: (key, value) => applySite(sites, key, value, onUnreadable),
    }),
    CompactedTable.open(messaging, {
      topic: TOPICS.credentials.name,
      apply: (key, value) => applyCredential(keys, key, value, onUnreadable),
    }),
    CompactedTable.open(messaging, {
      topic: TOPICS.members.name,
      apply: (key, value) => applyMember(members, key, value, onUnreadable),
    }),
    CompactedTable.open(messaging, {
      topic: TOPICS.campaigns.name,
      apply: (key, value) => applyCampaign(campaigns, key, value, onUnreadable),
    }),
  ]);
  const close = async (): Promise<void> => {
    await Promise.all([siteTable, keyTable, memberTable, campaignTable].map((table) => table.close()));
  };
  return { sites, keys, members, campaigns, siteTable, keyTable, memberTable, campaignTable, close };
}

/** Undefined where no issuer is configured. The issuer is asked when its keys are first needed, not at the start. */
function openIdTokens({ identityProvider }: GatewayConfig, log: Logger): IdTokens | undefined {
  if (identityProvider === undefined) return undefined;
  const keys = new IssuerKeys({
    ...identityProvider,
    nowMs: Date.now,
    onUnreachable: atMostOncePer(OUTAGE_LOG_INTERVAL_MS, (error) => {
      log.warn({ err: error }, "The issuer's keys cannot be fetched; those known last are used.");
    }),
  });
  return new IdTokens(identityProvider, keys, Date.now);
}

/** By their management service, in no particular order: it keeps the newest use of each key. */
function openKeyUses({ KEY_USE_INTERVAL_MS }: GatewayConfig, asker: KafkaAskClient, log: Logger): KeyUses {
  return new KeyUses({
    intervalMs: KEY_USE_INTERVAL_MS,
    tell: (told) =>
      asker.tell({ topic: TOPICS.recordKeyUse.name, key: randomUUID(), value: JSON.stringify(told) }),
    onError: atMostOncePer(OUTAGE_LOG_INTERVAL_MS, (error) => {
      log.warn({ err: error }, 'When keys were used could not be told; their next use will.');
    }),
  });
}

function openLimits(config: GatewayConfig, log: Logger) {
  const pool = createPool({
    url: config.DATABASE_URL,
    schema: config.DATABASE_SCHEMA,
    applicationName: config.INSTANCE_ID,
    max: DATABASE_CONNECTIONS,
    statementTimeoutMs: LIMIT_STATEMENT_TIMEOUT_MS,
  });
  const store = new LimitStore(pool);
  const limiter = new HourlyLimiter({
    counters: store,
    monotonicMs: () => performance.now(),
    onError: atMostOncePer(OUTAGE_LOG_INTERVAL_MS, (error) => {
      log.error({ err: error }, 'The hourly limits cannot be counted.');
    }),
  });
  const timer = setInterval(() => {
    store
      .forgetOldHours()
      .catch((error: unknown) => log.warn({ err: error }, 'Old hours were not forgotten.'));
  }, FORGET_HOURS_INTERVAL_MS);
  timer.unref();
  const close = async (): Promise<void> => {
    clearInterval(timer);
    await pool.end();
  };
  return { store, limiter, close };
}

function atMostOncePer(intervalMs: number, report: (error: unknown) => void): (error: unknown) => void {
  let reportedMs = -Infinity;
  return (error) => {
    const nowMs = performance.now();
    if (nowMs - reportedMs < intervalMs) return;
    reportedMs = nowMs;
    report(error);
  };
}
