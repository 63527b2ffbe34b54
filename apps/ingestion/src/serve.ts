import 'reflect-metadata';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestMicroservice } from '@nestjs/common';
import { TOPICS } from '@truetally/contracts/topics';
import { runUntilSignal } from '@truetally/platform';
import { layFoundation, serveMessages } from '@truetally/service';
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
const foundation = await layFoundation({
  service: 'ingestion',
  config,
  databaseConnections: DATABASE_CONNECTIONS,
});
const { log, metrics, messaging, pool, operations } = foundation;
const partitionSeconds = config.EVENT_PARTITION_SECONDS;
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
let isStopping = false;

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
const module = IngestionModule.using(store, new ReconciliationStore(pool), new EventErasure(pool));
running.service = await serveMessages(module, messaging, 'ingestion');
upkeep.start();
foundation.setServing(true);

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
  foundation.setServing(false);
  isStopping = true;
  await running.service?.close();
  await upkeep.stop();
  await messaging.close();
  await pool.end();
  await operations.close();
}
