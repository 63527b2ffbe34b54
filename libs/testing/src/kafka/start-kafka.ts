import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../eventually.js';
import { freePort } from '../free-port.js';
import { ManagedProcess } from '../process/managed-process.js';
import { type LocalServer, serve } from '../process/server.js';
import { javaCommand } from './java.js';
import { kafkaLibraries } from './libraries.js';
import { isServing } from './probe.js';
import { LOG_PROPERTIES, serverProperties } from './settings.js';

export interface KafkaOptions {
  /** Holds its configuration and log; made when missing, and kept. */
  readonly dataDir: string;
  /** Free ones are taken when not given. */
  readonly port?: number;
  readonly controllerPort?: number;
  readonly heapMiB?: number;
  /** Default: `kafka.log` in the data folder. */
  readonly logFile?: string;
}

export interface LocalKafka extends LocalServer {
  /** `host:port`, as KAFKA_BROKERS takes it. */
  readonly brokers: string;
  readonly port: number;
  readonly controllerPort: number;
}

const DEFAULT_HEAP_MIB = 512;
const MAX_HEAP_MIB = 512;
const START_TIMEOUT_MS = 60_000;
const FORMAT_TIMEOUT_MS = 60_000;

/** Starts a real Apache Kafka in KRaft mode on loopback. Resolves when it takes requests. */
export async function startKafka(options: KafkaOptions): Promise<LocalKafka> {
  const heapMiB = options.heapMiB ?? DEFAULT_HEAP_MIB;
  if (heapMiB > MAX_HEAP_MIB) throw new Error(`heapMiB is at most ${MAX_HEAP_MIB}, not ${heapMiB}`);
  const place = {
    dataDir: options.dataDir,
    port: options.port ?? (await freePort()),
    controllerPort: options.controllerPort ?? (await freePort()),
  };
  const java = await prepare(place.dataDir, serverProperties(place));
  const brokers = `127.0.0.1:${place.port}`;
  const logFile = options.logFile ?? join(place.dataDir, 'kafka.log');
  const server = await serve(() => launch(java, brokers, heapMiB, logFile), 'SIGTERM');
  return Object.assign(server, { brokers, port: place.port, controllerPort: place.controllerPort });
}

interface JavaArguments {
  readonly common: readonly string[];
  readonly configuration: string;
}

/** Writes the configuration, and formats the log folder when it is new. */
async function prepare(dataDir: string, configuration: string): Promise<JavaArguments> {
  const libraries = await kafkaLibraries();
  await mkdir(dataDir, { recursive: true });
  const file = join(dataDir, 'server.properties');
  await writeFile(file, configuration);
  await writeFile(join(dataDir, 'log4j2.properties'), LOG_PROPERTIES);
  const java = {
    common: [
      `-Dlog4j2.configurationFile=${join(dataDir, 'log4j2.properties')}`,
      '-cp',
      `${join(libraries, '*')}${delimiter}${libraries}`,
    ],
    configuration: file,
  };
  const marker = join(dataDir, 'formatted');
  if (existsSync(marker)) return java;
  // Without the marker a folder is new, or its formatting was interrupted.
  await rm(join(dataDir, 'log'), { recursive: true, force: true });
  await format(java);
  await writeFile(marker, '');
  return java;
}

async function format({ common, configuration }: JavaArguments): Promise<void> {
  const clusterId = randomBytes(16).toString('base64url');
  const args = [
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    ...common,
    'kafka.tools.StorageTool',
    'format',
  ];
  await promisify(execFile)(javaCommand(), [...args, '-t', clusterId, '-c', configuration], {
    timeout: FORMAT_TIMEOUT_MS,
  });
}

async function launch(
  { common, configuration }: JavaArguments,
  brokers: string,
  heapMiB: number,
  logFile: string,
): Promise<ManagedProcess> {
  const kafka = await ManagedProcess.start({
    name: 'Kafka',
    command: javaCommand(),
    args: [`-Xmx${heapMiB}m`, '-Xms64m', '-XX:+UseG1GC', ...common, 'kafka.Kafka', configuration],
    env: process.env,
    logFile,
  });
  try {
    await eventually(() => !kafka.isRunning || isServing(brokers), {
      timeoutMs: START_TIMEOUT_MS,
      intervalMs: 50,
    });
  } catch (error) {
    await kafka.stop('SIGKILL');
    throw new Error(`Kafka did not serve within ${START_TIMEOUT_MS} ms:\n${kafka.tail()}`, { cause: error });
  }
  if (!kafka.isRunning) throw new Error(`Kafka ${kafka.describeExit()} at start:\n${kafka.tail()}`);
  return kafka;
}
