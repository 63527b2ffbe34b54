import 'reflect-metadata';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { MANAGEMENT_TOPICS, TOPICS } from '@truetally/contracts';
import { HandlerErrorFilter, KafkaServer, Messaging, METRICS } from '@truetally/messaging';
import { createPool, isReachable, OutboxRelay } from '@truetally/persistence';
import { createLogger, Metrics, recordDescribed, runUntilSignal, startOperations } from '@truetally/platform';
import { readManagementConfig } from './config.js';
import { startForgetting } from './forget-replies/forget-replies.js';
import { runJobs } from './jobs/run-jobs.js';
import { ManagementModule } from './management.module.js';
import { openMedia } from './media/open-media.js';
import { fillTopics } from './republish-facts/fill-topics.js';

const config = readManagementConfig();
const log = createLogger({ service: 'management', instance: config.INSTANCE_ID, level: config.LOG_LEVEL });
const metrics = new Metrics('management');
const relayFailures = metrics.counter(
  'outbox_failures_total',
  'Passes over the outbox that failed and are repeated.',
);
const messaging = new Messaging({
  brokers: config.KAFKA_BROKERS,
  clientId: 'management',
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
const media = await openMedia({ config, pool, log });
const jobs = runJobs({ config, messaging, pool, relay, log, metrics });
const stopping = new AbortController();
let service: INestMicroservice | undefined;
let isServing = false;

const operations = await startOperations({
  host: config.OPERATIONS_HOST,
  port: config.OPERATIONS_PORT,
  metrics,
  ready: async () => ({ serving: isServing, kafka: messaging.healthy(), postgres: await isReachable(pool) }),
});
const forgetting = startForgetting(pool, log);

runUntilSignal({ log, timeoutMs: config.SHUTDOWN_TIMEOUT_MS, stop });
try {
  await start();
} catch (error) {
  // Whoever is told to stop while it still waits for Kafka or Postgres has not failed.
  if (!stopping.signal.aborted) throw error;
}

async function start(): Promise<void> {
  await messaging.start();
  await messaging.ensureTopics([
    ...MANAGEMENT_TOPICS,
    TOPICS.sites,
    TOPICS.credentials,
    TOPICS.members,
    TOPICS.campaigns,
    TOPICS.deadLetters,
    TOPICS.runIngestionStep,
    TOPICS.runLedgerStep,
  ]);
  relay.start();
  await fillTopics({
    pool,
    relay,
    messaging,
    log,
    everything: config.REPUBLISH_ON_START,
    signal: stopping.signal,
  });
  await jobs.start();
  service = await NestFactory.createMicroservice(
    ManagementModule.using({ pool, relay, runner: jobs.runner, files: media.files, sweeper: media.sweeper }),
    {
      strategy: new KafkaServer(messaging, { group: 'management' }),
      logger: false,
      abortOnError: false,
    },
  );
  service.useGlobalFilters(new HandlerErrorFilter());
  await service.listen();
  isServing = true;
  log.info({ operationsPort: operations.port }, 'Serving.');
}

/** First no new work, then what is under way, then the connections that it needed. */
async function stop(): Promise<void> {
  isServing = false;
  stopping.abort();
  forgetting.stop();
  await service?.close();
  await media.stop();
  await jobs.stop();
  // Together: with Kafka away, the relay's publish ends only when messaging gives it up. It is in the outbox still.
  await Promise.all([relay.stop(), messaging.close()]);
  await pool.end();
  await operations.close();
}
