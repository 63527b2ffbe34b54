import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrokerCommand } from './broker-command.js';
import { javaCommand } from './java.js';
import { scramArguments } from './secured-listeners.js';
import { brokerSettings, type KafkaPlace, LOG_PROPERTIES, properties } from './settings.js';

const FORMAT_TIMEOUT_MS = 60_000;
const CLUSTER_ID_BYTES = 16;

/**
 * A local broker lives for minutes. The optimising compiler takes two thirds of its processor time in the
 * first minutes and returns a tenth later; the quick one is enough (docs/benchmarks.md).
 */
const QUICK_COMPILER = '-XX:TieredStopAtLevel=1';

/**
 * Java decodes file names by the caller's locale; under `C` a non-ASCII letter becomes a question mark. A
 * fixed locale makes a start independent of the caller.
 */
const UTF_8 = { LC_ALL: 'C.UTF-8' } as const;

/**
 * Writes the configuration, and formats the log folder when it is new.
 * @param archive flags of `classArchiveFlags`: for the broker, and for the tool that formats, which loads many of its classes
 * @throws Error for a folder that Kafka cannot keep its log in
 */
export async function javaBroker(
  place: KafkaPlace,
  libraries: string,
  virtualMachineFlags: readonly string[],
  archive: readonly string[] = [],
): Promise<BrokerCommand> {
  const { dataDir } = place;
  if (dataDir.includes(',')) {
    throw new Error(`Kafka takes a comma for the end of a folder's name, so it cannot run in ${dataDir}`);
  }
  const logDir = join(dataDir, 'log');
  const configuration = join(dataDir, 'server.properties');
  const logging = join(dataDir, 'log4j2.properties');
  await mkdir(dataDir, { recursive: true });
  await writeFile(configuration, properties(brokerSettings(place, logDir)));
  await writeFile(logging, LOG_PROPERTIES);
  const common = [...archive, `-Dlog4j2.configurationFile=${logging}`, '-cp', join(libraries, '*')];
  const marker = join(dataDir, 'formatted');
  if (!existsSync(marker)) {
    // Without the marker a folder is new, or its formatting was interrupted.
    await rm(logDir, { recursive: true, force: true });
    const clusterId = place.cluster?.clusterId ?? newClusterId();
    const users = place.secured === undefined ? [] : scramArguments(place.secured);
    await format(common, configuration, [`--cluster-id=${clusterId}`, ...users]);
    await writeFile(marker, '');
  }
  return {
    command: javaCommand(),
    args: [QUICK_COMPILER, ...virtualMachineFlags, ...common, 'kafka.Kafka', configuration],
    env: { ...process.env, ...UTF_8 },
    clear: () => Promise.resolve(),
  };
}

export function newClusterId(): string {
  return randomBytes(CLUSTER_ID_BYTES).toString('base64url');
}

/** @param options one word each: an id may start with a dash, which the tool would read as an option */
async function format(
  common: readonly string[],
  configuration: string,
  options: readonly string[],
): Promise<void> {
  const flags = [QUICK_COMPILER, '-XX:+UseSerialGC'];
  const tool = ['kafka.tools.StorageTool', 'format', '--config', configuration, ...options];
  await promisify(execFile)(javaCommand(), [...flags, ...common, ...tool], {
    env: { ...process.env, ...UTF_8 },
    timeout: FORMAT_TIMEOUT_MS,
  });
}
