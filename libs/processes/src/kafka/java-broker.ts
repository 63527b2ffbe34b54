import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type BrokerCommand } from './broker-command.js';
import { javaCommand } from './java.js';
import { scramArguments } from './secured-listeners.js';
import { brokerSettings, type KafkaPlace, LOG_PROPERTIES, NODE_ID, properties } from './settings.js';

const FORMAT_TIMEOUT_MS = 120_000;
const CLUSTER_ID_BYTES = 16;
/** A new log's file with the features of its cluster, and the users that may log in; the same for all without such users. */
const CHECKPOINT = 'bootstrap.checkpoint';

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
    const formatWith = (users: readonly string[]): Promise<void> =>
      format(common, configuration, [`--cluster-id=${clusterId}`, ...users]);
    if (place.secured === undefined)
      await formatLikeOthers(place, { logDir, clusterId, libraries }, () => formatWith([]));
    else await formatWith(scramArguments(place.secured));
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

/**
 * The tool that formats is a Java of its own for two small files. It is run once per version of Kafka, whose checkpoint
 * other logs get a copy of.
 */
async function formatLikeOthers(
  { cluster }: KafkaPlace,
  log: { readonly logDir: string; readonly clusterId: string; readonly libraries: string },
  run: () => Promise<void>,
): Promise<void> {
  const kept = join(log.libraries, CHECKPOINT);
  if (existsSync(kept)) {
    await mkdir(log.logDir);
    await copyFile(kept, join(log.logDir, CHECKPOINT));
    const meta = {
      version: 1,
      'cluster.id': log.clusterId,
      'node.id': cluster?.nodeId ?? NODE_ID,
      'directory.id': newClusterId(),
    };
    await writeFile(join(log.logDir, 'meta.properties'), properties(meta));
    return;
  }
  await run();
  // Another start may do the same at this moment; who may not write there runs the tool again the next time.
  const copy = `${kept}-${randomBytes(4).toString('hex')}`;
  await copyFile(join(log.logDir, CHECKPOINT), copy)
    .then(() => rename(copy, kept))
    .catch(() => undefined);
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
