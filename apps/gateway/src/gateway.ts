import { ALL_TOPICS } from '@truetally/contracts/services';
import { Messaging, METRICS } from '@truetally/messaging';
import { type Logger, Metrics, openTracing, startOperations, recordDescribed } from '@truetally/platform';
import type { GatewayConfig } from './config.js';
import { Closing } from './core/closing.js';
import { GatewayFoundation } from './core/gateway-foundation.js';
import { HealthReader } from './core/health-reader.js';
import { openPublicHttp } from './public-http.js';

export interface Gateway {
  readonly httpPort: number;
  readonly operationsPort: number;
  /** Takes nothing new, answers what is under way, then lets go of Kafka and Postgres. */
  close(): Promise<void>;
}

/** Builds the gateway from its parts and opens its ports: the operations port first, the public one when all is there. */
export async function startGateway(config: GatewayConfig, log: Logger): Promise<Gateway> {
  const metrics = new Metrics('gateway');
  const closing = new Closing();
  let probe: () => Promise<Record<string, boolean>> = () => Promise.resolve({ started: false });
  const operations = await startOperations({
    host: config.OPERATIONS_HOST,
    port: config.OPERATIONS_PORT,
    metrics,
    ready: () => probe(),
  });
  closing.add(() => operations.close());
  const messaging = await connectMessaging(config, log, metrics);
  closing.add(async () => {
    await messaging.tracing?.close();
  });
  closing.add(() => messaging.close());
  const http = await openPublicHttp(new GatewayFoundation({ config, log, metrics, messaging, closing }));
  const health = http.parts.get(HealthReader);
  probe = () => health.read();
  closing.add(() => http.close());
  closing.add(() => {
    probe = () => Promise.resolve({ draining: false });
  });
  return { httpPort: http.port, operationsPort: operations.port, close: () => closing.close() };
}

async function connectMessaging(config: GatewayConfig, log: Logger, metrics: Metrics): Promise<Messaging> {
  const messaging = new Messaging({
    brokers: config.KAFKA_BROKERS,
    clientId: 'gateway',
    instance: config.INSTANCE_ID,
    topicPrefix: config.KAFKA_TOPIC_PREFIX,
    requireReplication: config.KAFKA_REQUIRE_REPLICATION,
    log,
    onMetric: recordDescribed(metrics, METRICS),
    tracing: await openTracing({ service: 'gateway', config, log }),
  });
  await messaging.start();
  await messaging.ensureTopics(ALL_TOPICS);
  return messaging;
}
