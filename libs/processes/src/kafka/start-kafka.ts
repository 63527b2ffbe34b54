import { join } from 'node:path';
import { eventually } from '../eventually.js';
import { freePort } from '../free-port.js';
import { ManagedProcess } from '../process/managed-process.js';
import { type LocalServer, serve } from '../process/server.js';
import { settleAll } from '../settle-all.js';
import { type BrokerCommand } from './broker-command.js';
import { classArchiveFlags, COLLECTOR } from './class-archive.js';
import { dockerBroker, hasDocker } from './docker-broker.js';
import { javaBroker, newClusterId } from './java-broker.js';
import { INSTALL_JAVA_AND_MAVEN, missingTools } from './java.js';
import { kafkaLibraries } from './libraries.js';
import { isServing } from './probe.js';
import { type SecuredListeners, superuserConnection } from './secured-listeners.js';
import { type KafkaPlace } from './settings.js';

/** Where a broker keeps its data, where it listens, and how it is secured. */
export interface KafkaOptions {
  /** Contains its configuration and log; created if missing, and kept. */
  readonly dataDir: string;
  /** Default: a free one. */
  readonly port?: number;
  readonly controllerPort?: number;
  readonly heapMiB?: number;
  /** Default: `kafka.log` in the data folder. */
  readonly logFile?: string;
  /** Needs Java. Default: everybody on this machine may do everything. */
  readonly secured?: SecuredListeners;
  /** How often it looks for what it can compact. Default: Kafka's, 15 seconds; each look costs an idle broker 2 ms. */
  readonly compactionMs?: number;
}

/** A running broker on this machine. */
export interface LocalKafka extends LocalServer {
  /** `host:port`, as in KAFKA_BROKERS. */
  readonly brokers: string;
  readonly port: number;
  readonly controllerPort: number;
}

/** Several running brokers of one cluster. */
export interface KafkaCluster {
  /** Of all brokers, separated by commas. */
  readonly brokers: string;
  readonly nodes: readonly LocalKafka[];
}

/** Java otherwise writes counters for tools into a file, twenty times a second. */
const NO_SAMPLES = '-XX:-UsePerfData';
/**
 * By default G1 marks the whole heap once 45 % of it are used. What lives is as much while the heap is small, and then each buffer of half
 * a MiB begins a collection. And the heap grows where collections take a fiftieth of the time, not only a thirteenth.
 */
const RARE_COLLECTIONS = [
  '-XX:InitiatingHeapOccupancyPercent=80',
  '-XX:-G1UseAdaptiveIHOP',
  '-XX:GCTimeRatio=49',
];
const DEFAULT_HEAP_MIB = 512;
/** Heap of each member of a cluster. */
const MEMBER_HEAP_MIB = 256;
const MAX_HEAP_MIB = 512;
const START_TIMEOUT_MS = 120_000;
/** The first start may have to pull the image. */
const DOCKER_START_TIMEOUT_MS = 300_000;
const PROBE_INTERVAL_MS = 50;

/**
 * Starts a real Apache Kafka in KRaft mode on loopback. Resolves when it accepts requests.
 * @throws Error that explains what to install when there is neither Java with Maven nor Docker
 */
export async function startKafka(options: KafkaOptions): Promise<LocalKafka> {
  const heapMiB = options.heapMiB ?? DEFAULT_HEAP_MIB;
  if (heapMiB > MAX_HEAP_MIB) throw new Error(`heapMiB is at most ${MAX_HEAP_MIB}, not ${heapMiB}`);
  const place = {
    dataDir: options.dataDir,
    port: options.port ?? (await freePort()),
    controllerPort: options.controllerPort ?? (await freePort()),
    secured: options.secured,
    compactionMs: options.compactionMs,
  };
  return startAt(place, heapMiB, options.logFile);
}

async function startAt(
  place: KafkaPlace,
  heapMiB: number,
  logFile: string = join(place.dataDir, 'kafka.log'),
): Promise<LocalKafka> {
  const broker = await chooseBroker(place, heapMiB);
  const brokers = `127.0.0.1:${place.port}`;
  const security = place.secured === undefined ? {} : superuserConnection(place.secured);
  const isUp = (): Promise<boolean> => isServing(brokers, security);
  const server = await serve(() => launch(broker, isUp, logFile), 'SIGTERM');
  return Object.assign(server, { brokers, port: place.port, controllerPort: place.controllerPort });
}

/**
 * Starts several brokers that are also controllers: every topic is on each of them, and writes are
 * acknowledged by all but one. Resolves when each accepts requests.
 * @throws Error without Java: separate containers could not reach each other on loopback
 */
export async function startKafkaCluster(dataDir: string, size: number): Promise<KafkaCluster> {
  const missing = missingTools();
  if (missing.length > 0) throw new Error([...missing, INSTALL_JAVA_AND_MAVEN].join('\n'));
  const ports = new Set<number>();
  while (ports.size < 2 * size) ports.add(await freePort());
  const all = [...ports];
  const [clusterId, controllerPorts] = [newClusterId(), all.slice(size)];
  const nodes = await settleAll(
    controllerPorts.map(async (controllerPort, index) => {
      const cluster = { clusterId, nodeId: index + 1, controllerPorts };
      const folder = join(dataDir, String(cluster.nodeId));
      return startAt({ dataDir: folder, port: all[index] ?? 0, controllerPort, cluster }, MEMBER_HEAP_MIB);
    }),
  );
  return { brokers: nodes.map(({ brokers }) => brokers).join(','), nodes };
}

/** Java if installed, otherwise Docker. */
async function chooseBroker(place: KafkaPlace, heapMiB: number): Promise<BrokerCommand> {
  const missing = missingTools();
  if (missing.length === 0) {
    const libraries = await kafkaLibraries();
    const archive = await classArchiveFlags(libraries);
    const heap = ['-Xms64m', `-Xmx${heapMiB}m`];
    return javaBroker(place, libraries, [COLLECTOR, NO_SAMPLES, ...RARE_COLLECTIONS, ...heap], archive);
  }
  if (place.secured === undefined && hasDocker()) return dockerBroker(place, heapMiB);
  throw new Error([...missing, INSTALL_JAVA_AND_MAVEN].join('\n'));
}

async function launch(
  broker: BrokerCommand,
  isUp: () => Promise<boolean>,
  logFile: string,
): Promise<ManagedProcess> {
  await broker.clear();
  const { command, args, env } = broker;
  const timeoutMs = command === 'docker' ? DOCKER_START_TIMEOUT_MS : START_TIMEOUT_MS;
  const kafka = await ManagedProcess.start({ name: 'Kafka', command, args, env, logFile });
  try {
    await eventually(() => !kafka.isRunning || isUp(), {
      timeoutMs,
      intervalMs: PROBE_INTERVAL_MS,
    });
  } catch (error) {
    await kafka.stop('SIGKILL');
    throw new Error(`Kafka did not serve within ${timeoutMs} ms:\n${kafka.tail()}`, { cause: error });
  }
  if (!kafka.isRunning) throw new Error(`Kafka ${kafka.describeExit()} at start:\n${kafka.tail()}`);
  return kafka;
}
