import { kafkaRequests, Messaging, METRICS } from '@truetally/messaging';
import { ALL_TOPICS } from '@truetally/contracts/services';
import type { Tracing } from '@truetally/tracing';
import {
  ConfigError,
  type Configuration,
  createLogger,
  kafkaSecurityOf,
  type Logger,
  Metrics,
  openTracing,
  type Operations,
  recordDescribed,
  type serviceSettings,
  startOperations,
} from '@truetally/platform';
import { HealthReader } from './health-reader.js';

/** The name and the configuration of a process. */
export interface ProcessContextOptions {
  /** Its name in logs, metrics and consumer groups, and as a Kafka client. */
  readonly service: string;
  readonly config: Configuration<ReturnType<typeof serviceSettings>>;
  /** See `MessagingOptions`. */
  readonly isPatient?: boolean;
}

/** What the parts of every process of the product are built from. Only the operations port is open yet. */
export interface ProcessContext {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly messaging: Messaging;
  /** Undefined without tracing. */
  readonly tracing: Tracing | undefined;
  /** The dependencies, Kafka among them: each must have answered for the process to be ready. */
  readonly health: HealthReader;
  readonly operations: Operations;
  /** Aborted as soon as the process gets a stop signal. */
  readonly stopping: AbortSignal;
  /** Whether it has started and does not drain: then it is ready. */
  setServing(isServing: boolean): void;
}

/** @throws ConfigError for an incomplete configuration of TLS or SASL; Error when the operations port is in use */
export async function openProcessContext(
  { service, config, isPatient = false }: ProcessContextOptions,
  stopping: AbortSignal,
): Promise<ProcessContext> {
  const security = kafkaSecurityOf(config);
  checkTopics(config.KAFKA_TOPIC_PARTITIONS.keys());
  const log = createLogger({ service, instance: config.INSTANCE_ID, level: config.LOG_LEVEL });
  const metrics = new Metrics(service);
  metrics.tellBuild(config);
  const tracing = await openTracing({ service, config, log });
  const messaging = new Messaging({
    brokers: config.KAFKA_BROKERS,
    clientId: service,
    instance: config.INSTANCE_ID,
    topicPrefix: config.KAFKA_TOPIC_PREFIX,
    requireReplication: config.KAFKA_REQUIRE_REPLICATION,
    partitions: config.KAFKA_TOPIC_PARTITIONS,
    security,
    log,
    onMetric: recordDescribed(metrics, METRICS),
    tracing,
    isPatient,
  });
  metrics.counted('kafka_requests_total', 'Requests sent to Kafka, by kind.', 'api', kafkaRequests);
  const health = new HealthReader();
  health.add('kafka', () => messaging.healthy());
  metrics.observedAll('dependency_up', 'Whether a dependency answers, by name.', ['dependency'], async () =>
    Object.entries(await health.read()).map(([dependency, isUp]) => [{ dependency }, isUp ? 1 : 0] as const),
  );
  let serving = false;
  let hasReachedAll = false;
  /**
   * A dependency that goes later is a metric: all replicas miss it at once, and a process without an endpoint
   * could not tell its clients when to try again.
   */
  const ready = async (): Promise<Readonly<Record<string, boolean>>> => {
    if (hasReachedAll) return { serving };
    const dependencies = await health.read();
    hasReachedAll = serving && Object.values(dependencies).every(Boolean);
    return { serving, ...dependencies };
  };
  const operations = await startOperations({
    host: config.OPERATIONS_HOST,
    port: config.OPERATIONS_PORT,
    metrics,
    ready,
  });
  const setServing = (isServing: boolean): void => {
    serving = isServing;
    if (isServing) log.info({ operationsPort: operations.port }, 'Serving.');
  };
  return { log, metrics, messaging, tracing, health, operations, stopping, setServing };
}

/** @throws ConfigError naming topics that the product does not have */
function checkTopics(names: Iterable<string>): void {
  const unknown = [...names].filter((name) => !ALL_TOPICS.some((topic) => topic.name === name));
  if (unknown.length > 0)
    throw new ConfigError([`KAFKA_TOPIC_PARTITIONS names no topics of the product: ${unknown.join(', ')}`]);
}
