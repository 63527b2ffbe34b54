import 'reflect-metadata';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TOPICS } from '@truetally/contracts';
import { HandlerErrorFilter, KafkaServer, Messaging, METRICS, type Subscription } from '@truetally/messaging';
import { createPool, isReachable, OutboxRelay } from '@truetally/persistence';
import { createLogger, Metrics, recordDescribed, runUntilSignal, startOperations } from '@truetally/platform';
import { readLedgerConfig } from './config.js';
import { LedgerModule } from './ledger.module.js';
import { observeRecording } from './metrics.js';
import { followTouches } from './match-touches/match-touches.js';
import { LedgerStore } from './storage/ledger.store.js';
import { OrderStore } from './storage/order.store.js';
import { RuleStore } from './storage/rule.store.js';
import { TouchErasure } from './storage/touch.erasure.js';
import { TouchStore } from './storage/touch.store.js';

const TOPICS_USED = [
  TOPICS.recordTouches,
  TOPICS.recordConversion,
  TOPICS.readOrder,
  TOPICS.listTouches,
  TOPICS.createCommissionRule,
  TOPICS.listCommissionRules,
  TOPICS.runLedgerStep,
  TOPICS.touchesRecorded,
  TOPICS.conversionsRecorded,
  TOPICS.ledgerSealed,
  TOPICS.deadLetters,
];

const config = readLedgerConfig();
const log = createLogger({
  service: 'attribution-ledger',
  instance: config.INSTANCE_ID,
  level: config.LOG_LEVEL,
});
const metrics = new Metrics('attribution-ledger');
const relayFailures = metrics.counter(
  'outbox_failures_total',
  'Passes over the outbox that failed and are repeated.',
);
const messaging = new Messaging({
  brokers: config.KAFKA_BROKERS,
  clientId: 'attribution-ledger',
  instance: config.INSTANCE_ID,
  topicPrefix: config.KAFKA_TOPIC_PREFIX,
  log,
  onMetric: recordDescribed(metrics, METRICS),
});
const pool = createPool({
  url: config.DATABASE_URL,
  schema: config.DATABASE_SCHEMA,
  applicationName: config.INSTANCE_ID,
  max: config.DATABASE_CONNECTIONS,
  onIdleError: (error) => log.warn({ err: error }, 'A database connection broke; it is replaced.'),
});
const relay = new OutboxRelay({
  pool,
  publish: (facts) => messaging.publish(facts),
  onError: (error) => {
    relayFailures.inc();
    log.warn({ err: error }, 'The outbox could not be published; it is tried again.');
  },
});
const observer = observeRecording(metrics);
const ledger = new LedgerStore(pool, observer);
const stopping = new AbortController();
let service: INestMicroservice | undefined;
let matching: Subscription | undefined;
let isServing = false;

const operations = await startOperations({
  host: config.OPERATIONS_HOST,
  port: config.OPERATIONS_PORT,
  metrics,
  ready: async () => ({ serving: isServing, kafka: messaging.healthy(), postgres: await isReachable(pool) }),
});
runUntilSignal({ log, timeoutMs: config.SHUTDOWN_TIMEOUT_MS, stop });
try {
  await start();
} catch (error) {
  // Whoever is told to stop while it still waits for Kafka or Postgres has not failed.
  if (!stopping.signal.aborted) throw error;
}

async function start(): Promise<void> {
  await messaging.start();
  await messaging.ensureTopics(TOPICS_USED);
  relay.start();
  service = await NestFactory.createMicroservice(
    LedgerModule.using([
      { provide: OutboxRelay, useValue: relay },
      { provide: LedgerStore, useValue: ledger },
      { provide: TouchStore, useValue: new TouchStore(pool, observer.lostRace) },
      { provide: RuleStore, useValue: new RuleStore(pool) },
      { provide: OrderStore, useValue: new OrderStore(pool) },
      { provide: TouchErasure, useValue: new TouchErasure(pool) },
    ]),
    {
      strategy: new KafkaServer(messaging, { group: 'attribution-ledger' }),
      logger: false,
      abortOnError: false,
    },
  );
  service.useGlobalFilters(new HandlerErrorFilter());
  await service.listen();
  matching = await followTouches({ messaging, pool, ledger, relay });
  isServing = true;
  log.info({ operationsPort: operations.port }, 'Serving.');
}

/** First no new work, then what is under way, then the connections that it needed. */
async function stop(): Promise<void> {
  isServing = false;
  stopping.abort();
  await Promise.all([service?.close(), matching?.close()]);
  // Together: with Kafka away, the relay's publish ends only when messaging gives it up. It is in the outbox still.
  await Promise.all([relay.stop(), messaging.close()]);
  await pool.end();
  await operations.close();
}
