import { Messaging, METRICS } from '@truetally/messaging';
import type { Tracing } from '@truetally/tracing';
import { createPool, isReachable, SharedReader } from '@truetally/persistence';
import {
  type Configuration,
  createLogger,
  type Logger,
  Metrics,
  openTracing,
  type Operations,
  recordDescribed,
  type serviceSettings,
  startOperations,
} from '@truetally/platform';
import type { Pool } from 'pg';
import { observePool } from './observe-database.js';

export interface FoundationOptions {
  /** Its name in logs, metrics and consumer groups, and as a Kafka client. */
  readonly service: string;
  readonly config: Configuration<ReturnType<typeof serviceSettings>>;
  readonly databaseConnections: number;
  /** Whether their statements are pipelined (PoolOptions). */
  readonly pipeline?: boolean;
}

/** The base of every service behind Kafka. Only the operations port is open yet. */
export interface Foundation {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  /** Undefined without tracing. */
  readonly tracing: Tracing | undefined;
  readonly pool: Pool;
  /** Its own schema in Postgres. */
  readonly schema: string;
  /** A reader with its own connections, beside the pool's. */
  openReader(connections: number): SharedReader;
  readonly operations: Operations;
  /** Sets this part of `GET /health/ready`, beside Kafka and Postgres. */
  setServing(isServing: boolean): void;
}

/** @throws when the operations port is taken */
export async function layFoundation({
  service,
  config,
  databaseConnections,
  pipeline = false,
}: FoundationOptions): Promise<Foundation> {
  const log = createLogger({ service, instance: config.INSTANCE_ID, level: config.LOG_LEVEL });
  const metrics = new Metrics(service);
  const tracing = await openTracing({ service, config, log });
  const messaging = new Messaging({
    brokers: config.KAFKA_BROKERS,
    clientId: service,
    instance: config.INSTANCE_ID,
    topicPrefix: config.KAFKA_TOPIC_PREFIX,
    requireReplication: config.KAFKA_REQUIRE_REPLICATION,
    log,
    onMetric: recordDescribed(metrics, METRICS),
    tracing,
  });
  const database = {
    url: config.DATABASE_URL,
    schema: config.DATABASE_SCHEMA,
    applicationName: config.INSTANCE_ID,
    onIdleError: (error: Error) => log.warn({ err: error }, 'A database connection broke; it is replaced.'),
  };
  const pool = createPool({ ...database, max: databaseConnections, pipeline });
  observePool(metrics, pool);
  let serving = false;
  const operations = await startOperations({
    host: config.OPERATIONS_HOST,
    port: config.OPERATIONS_PORT,
    metrics,
    ready: async () => ({ serving, kafka: messaging.healthy(), postgres: await isReachable(pool) }),
  });
  const setServing = (isServing: boolean): void => {
    serving = isServing;
    if (isServing) log.info({ operationsPort: operations.port }, 'Serving.');
  };
  const openReader = (connections: number) => new SharedReader({ ...database, max: connections });
  const schema = config.DATABASE_SCHEMA;
  return { log, metrics, messaging, tracing, pool, schema, openReader, operations, setServing };
}
