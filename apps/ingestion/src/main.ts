import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { TOPICS } from '@truetally/contracts';
import { HandlerErrorFilter, KafkaServer, Messaging, METRICS } from '@truetally/messaging';
import { createPool, isReachable } from '@truetally/persistence';
import { createLogger, Metrics, runUntilSignal, startOperations, recordDescribed } from '@truetally/platform';
import { readIngestionConfig } from './config.js';
import { IngestionModule } from './ingestion.module.js';
import { observeStoring } from './metrics.js';
import { EventErasure } from './storage/event.erasure.js';
import { EventStore } from './storage/event.store.js';
import { PartitionCatalog } from './storage/partition.catalog.js';
import { PartitionFilters } from './storage/partition.filters.js';
import { PartitionUpkeep } from './storage/partition.upkeep.js';
import { ReconciliationStore } from './storage/reconciliation.store.js';

/** Three storing transactions, one for upkeep, one for questions. */
const DATABASE_CONNECTIONS = 5;
const SECONDS_PER_DAY = 86_400;
const BYTES_PER_MIB = 1_048_576;
const RETRY_MS = 500;

const config = readIngestionConfig();
const log = createLogger({ service: 'ingestion', instance: config.INSTANCE_ID, level: config.LOG_LEVEL });
const metrics = new Metrics('ingestion');
const partitionSeconds = config.EVENT_PARTITION_SECONDS;
const messaging = new Messaging({
  brokers: config.KAFKA_BROKERS,
  clientId: 'ingestion',
  instance: config.INSTANCE_ID,
  topicPrefix: config.KAFKA_TOPIC_PREFIX,
  log,
  onMetric: recordDescribed(metrics, METRICS),
});
const pool = createPool({
  url: config.DATABASE_URL,
  schema: config.DATABASE_SCHEMA,
  applicationName: config.INSTANCE_ID,
  max: DATABASE_CONNECTIONS,
  onIdleError: (error) => log.warn({ err: error }, 'A database connection broke; it is replaced.'),
});
const catalog = new PartitionCatalog({
  windowSeconds: config.DEDUPLICATION_WINDOW_DAYS * SECONDS_PER_DAY,
  partitionSeconds,
  filterBytes: config.DEDUPLICATION_FILTER_MIB * BYTES_PER_MIB,
});
const upkeep = new PartitionUpkeep({
  pool,
  catalog,
  filters: new PartitionFilters(pool, catalog),
  partitionSeconds,
  retentionDays: config.EVENT_RETENTION_DAYS,
  onError: (error) => log.warn({ err: error }, 'Upkeep of the partitions failed; it is tried again.'),
  onDropped: (tableName) => log.info({ tableName }, 'Dropped a partition that is past its retention.'),
});
const store = new EventStore({ pool, catalog, partitionSeconds, observer: observeStoring(metrics, catalog) });
const running: { service?: INestMicroservice } = {};
let isServing = false;
let isStopping = false;

const operations = await startOperations({
  host: config.OPERATIONS_HOST,
  port: config.OPERATIONS_PORT,
  metrics,
  ready: async () => ({ serving: isServing, kafka: messaging.healthy(), postgres: await isReachable(pool) }),
});
runUntilSignal({ log, timeoutMs: config.SHUTDOWN_TIMEOUT_MS, stop });

await messaging.start();
await messaging.ensureTopics([
  TOPICS.storeEvents,
  TOPICS.reconcileEvents,
  TOPICS.runIngestionStep,
  TOPICS.eventsStored,
  TOPICS.deadLetters,
]);
await preparePartitions();
running.service = await NestFactory.createMicroservice(
  IngestionModule.using(store, new ReconciliationStore(pool), new EventErasure(pool)),
  {
    strategy: new KafkaServer(messaging, { group: 'ingestion' }),
    logger: false,
    abortOnError: false,
  },
);
running.service.useGlobalFilters(new HandlerErrorFilter());
await running.service.listen();
upkeep.start();
isServing = true;
log.info({ operationsPort: operations.port }, 'Serving.');

/** Without its filters the first events would be slow, and without a database there is nothing to do but wait. */
async function preparePartitions(): Promise<void> {
  while (!isStopping) {
    try {
      return await upkeep.prepare();
    } catch (error) {
      log.warn({ err: error }, 'The partitions cannot be read yet; trying again.');
      await delay(RETRY_MS);
    }
  }
}

/** First no new work, then what is under way, then the connections that it needed. */
async function stop(): Promise<void> {
  isServing = false;
  isStopping = true;
  await running.service?.close();
  await upkeep.stop();
  await messaging.close();
  await pool.end();
  await operations.close();
}
