import { setTimeout as delay } from 'node:timers/promises';
import { INGESTION } from '@truetally/contracts/events';
import { ReadTurns, runService, type ServiceContext, type ServiceParts } from '@truetally/service';
import { readIngestionConfig, type IngestionConfig } from './config.js';
import { observeStoring } from './metrics.js';
import { readEvents } from './read-events/read-events.js';
import { readIntake } from './read-intake/read-intake.js';
import { readTrail } from './read-trail/read-trail.js';
import { reconcileEvents } from './reconcile-events/reconcile-events.js';
import { eventErasure } from './storage/event-erasure.js';
import { EventReads } from './storage/event-reads.js';
import { IntakeReads } from './storage/intake-reads.js';
import { EventStore } from './storage/event.store.js';
import { PartitionCatalog } from './storage/partition-catalog.js';
import { PartitionFilters } from './storage/partition-filters.js';
import { PartitionUpkeep } from './storage/partition-upkeep.js';
import { eventErasureOfPerson } from './storage/person-erasure.js';
import { ReconciliationStore } from './storage/reconciliation.store.js';
import { TrailReads } from './storage/trail-reads.js';
import { TrackEventConsumer } from './track-event/track-event.consumer.js';
import { TrackEventHandler } from './track-event/track-event.handler.js';

/** Three storing transactions, one for upkeep, two for queries. */
const DATABASE_CONNECTIONS = 6;
/** Storing has its connections whatever is read. */
const READS_AT_ONCE = 2;
const READS_OF_HOLDER = 1;
const SECONDS_PER_DAY = 86_400;
const BYTES_PER_MIB = 1_048_576;
const RETRY_MS = 500;

/** Runs the service until a signal ends the process. Resolves when it serves. @throws ConfigError */
export async function serve(environment?: NodeJS.ProcessEnv): Promise<void> {
  const config = readIngestionConfig(environment);
  await runService({
    entry: INGESTION,
    config,
    databaseConnections: DATABASE_CONNECTIONS,
    build: (parts) => build(config, parts),
  });
}

function build(
  config: IngestionConfig,
  { pool, log, metrics, messaging, stopping }: ServiceContext,
): ServiceParts {
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
    windowDays: config.DEDUPLICATION_WINDOW_DAYS,
    onError: (error) => log.warn({ err: error }, 'Upkeep of the partitions failed; it is tried again.'),
    onDropped: (tableName) => log.info({ tableName }, 'Dropped a partition that is past its retention.'),
    onEmptied: (tableName) =>
      log.info({ tableName }, 'Took the content out of a partition whose keys are kept.'),
  });
  metrics.observed(
    'ingestion_partitions_prepared_seconds',
    'When partitions were last made ahead, in epoch seconds.',
    () => upkeep.preparedAtSeconds,
  );
  const observer = observeStoring(metrics, catalog);
  const store = new EventStore({ pool, catalog, partitionSeconds, observer });
  const turns = new ReadTurns(READS_AT_ONCE, READS_OF_HOLDER);
  /** Without its filters the first events would be slow; without a database the service can only wait. */
  const preparePartitions = async (): Promise<void> => {
    while (!stopping.aborted) {
      try {
        return await upkeep.prepare();
      } catch (error) {
        log.warn({ err: error }, 'The partitions cannot be read yet; trying again.');
        await delay(RETRY_MS, undefined, { signal: stopping });
      }
    }
  };
  return {
    answers: {
      readEvents: turns.taken(readEvents(new EventReads(pool, config.EVENT_RETENTION_DAYS))),
      readIntake: turns.taken(readIntake(new IntakeReads(pool))),
      readTrail: turns.taken(readTrail(new TrailReads(pool))),
      reconcileEvents: turns.taken(reconcileEvents(new ReconciliationStore(pool), Date.now)),
    },
    controllers: [TrackEventConsumer],
    providers: [new TrackEventHandler(store)],
    siteErasure: eventErasure(pool),
    personErasure: eventErasureOfPerson(pool, messaging),
    prepare: preparePartitions,
    follow: [
      () => {
        upkeep.start();
        return Promise.resolve({ close: () => upkeep.stop() });
      },
    ],
  };
}
