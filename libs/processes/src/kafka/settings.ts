import { type SecuredListeners, securedSettings } from './secured-listeners.js';

export interface KafkaPlace {
  readonly dataDir: string;
  readonly port: number;
  readonly controllerPort: number;
  /** Without it, the broker is alone and its own controller. */
  readonly cluster?: KafkaMembership;
  /** Without it everybody on this machine may do everything. */
  readonly secured?: SecuredListeners | undefined;
  /** How often it looks for what it can compact. Default: Kafka's, 15 seconds. */
  readonly compactionMs?: number | undefined;
}

/** A broker of a cluster in which each is also a controller. */
export interface KafkaMembership {
  readonly clusterId: string;
  readonly nodeId: number;
  /** Of every member, in the order of their ids, which begin with 1. */
  readonly controllerPorts: readonly number[];
}

const LOOPBACK = '127.0.0.1';
/** Of the only broker, or of the first one of a cluster. */
export const NODE_ID = 1;

/**
 * Settings of one broker that is also a controller.
 * @param logDir as seen by the broker
 * @param listenHost all addresses inside a container, whose ports are published on loopback
 */
export function brokerSettings(
  { port, controllerPort, cluster, secured, compactionMs }: KafkaPlace,
  logDir: string,
  listenHost: string = LOOPBACK,
): Readonly<Record<string, string | number | boolean>> {
  const controllerPorts = cluster?.controllerPorts ?? [controllerPort];
  const voters = controllerPorts.map((voter, index) => `${NODE_ID + index}@${LOOPBACK}:${voter}`);
  return {
    'process.roles': 'broker,controller',
    'node.id': cluster?.nodeId ?? NODE_ID,
    'controller.quorum.voters': voters.join(','),
    listeners: `BROKER://${listenHost}:${port},CONTROLLER://${LOOPBACK}:${controllerPort}`,
    'advertised.listeners': `BROKER://${LOOPBACK}:${port}`,
    'listener.security.protocol.map': 'BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'BROKER',
    'controller.listener.names': 'CONTROLLER',
    'log.dirs': logDir,
    ...copies(controllerPorts.length),
    ...ANY_BROKER,
    ...SMALL_MACHINE,
    ...(compactionMs === undefined ? {} : { 'log.cleaner.backoff.ms': compactionMs }),
    ...(secured === undefined ? {} : securedSettings(secured, { port, controllerPort }, listenHost)),
  };
}

/** Replicated to every broker; a write is acknowledged by all of them but one. */
function copies(brokers: number): Readonly<Record<string, number>> {
  const inSync = Math.max(1, brokers - 1);
  return {
    'default.replication.factor': brokers,
    'min.insync.replicas': inSync,
    'offsets.topic.replication.factor': brokers,
    'transaction.state.log.replication.factor': brokers,
    'transaction.state.log.min.isr': inSync,
    'share.coordinator.state.topic.replication.factor': brokers,
    'share.coordinator.state.topic.min.isr': inSync,
  };
}

const ANY_BROKER = {
  'auto.create.topics.enable': false,
  'num.partitions': 6,
  'offsets.topic.num.partitions': 1,
  // By default a group without members loses its place after a week, and nothing tells what expired before it came back.
  'offsets.retention.minutes': 400 * 24 * 60,
  'transaction.state.log.num.partitions': 1,
  'share.coordinator.state.topic.num.partitions': 1,
  'group.initial.rebalance.delay.ms': 0,
  // A broker that restarts after SIGKILL may register only when its former session has expired; one whose
  // machine stalls for longer is fenced until its next heartbeat.
  'broker.session.timeout.ms': 6_000,
  'broker.heartbeat.interval.ms': 2_000,
  // By default the controller writes a record twice a second, where nothing changes.
  'metadata.max.idle.interval.ms': 5_000,
  // A producer with natural batching sends one record batch per partition, which may contain many requests.
  'message.max.bytes': 16 * 1024 * 1024,
};

const SMALL_MACHINE = {
  // The system's own, which grow: by default a send of 100 KiB and more waits for the broker to read its beginning.
  'socket.send.buffer.bytes': -1,
  'socket.receive.buffer.bytes': -1,
  // Each more wakes up three times a second to find nothing, and is cold when there is something.
  'num.network.threads': 1,
  'num.io.threads': 2,
  'group.coordinator.threads': 1,
  'share.coordinator.threads': 1,
  'background.threads': 2,
  'num.recovery.threads.per.data.dir': 2,
  // By default the log cleaner permanently takes a quarter of our heap.
  'log.cleaner.dedupe.buffer.size': 8 * 1024 * 1024,
  'log.cleaner.io.buffer.size': 256 * 1024,
};

/** Warnings and errors only, to standard output, which is the broker's log file. */
export const LOG_PROPERTIES = properties({
  'appender.console.type': 'Console',
  'appender.console.name': 'console',
  'appender.console.layout.type': 'PatternLayout',
  'appender.console.layout.pattern': '%d{ISO8601} %p %c{1}: %m%n',
  'rootLogger.level': 'WARN',
  'rootLogger.appenderRef.console.ref': 'console',
});

/** In Java's encoding of such a file: ISO-8859-1, with escapes for all other characters. */
export function properties(values: Record<string, string | number | boolean>): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}=${escape(String(value))}\n`)
    .join('');
}

function escape(value: string): string {
  return value
    .replaceAll('\\', '\\\\')
    .replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
