import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { REPOSITORY_ROOT } from '../repository.js';
import { type BrokerCommand } from './broker-command.js';
import { brokerSettings, type KafkaPlace } from './settings.js';

const HASH_CHARACTERS = 12;
const LOG_DIR = '/var/lib/kafka/data';
/** In the data folder: marks that Docker has a volume for it. */
const MARKER = 'in-docker';

/** Whether a Docker engine answers. */
export function hasDocker(): boolean {
  return spawnSync('docker', ['info'], { stdio: 'ignore' }).status === 0;
}

/** Apache's own image of the version that the pom names; the data is a volume that belongs to the data folder. */
export async function dockerBroker(place: KafkaPlace, heapMiB: number): Promise<BrokerCommand> {
  const version = await kafkaVersion();
  const name = containerName(place.dataDir);
  await mkdir(place.dataDir, { recursive: true });
  await writeFile(join(place.dataDir, MARKER), `${name}\n`);
  return {
    command: 'docker',
    args: dockerArguments(place, name, `apache/kafka:${version}`, heapMiB),
    env: process.env,
    clear: () => docker('rm', '--force', name),
  };
}

/** @returns the arguments of a `docker run` in the foreground, which passes signals on to the broker */
export function dockerArguments(
  place: KafkaPlace,
  name: string,
  image: string,
  heapMiB: number,
): readonly string[] {
  const settings = Object.entries(brokerSettings(place, LOG_DIR, '0.0.0.0'));
  const variables = settings.map(
    ([key, value]) => `KAFKA_${key.toUpperCase().replaceAll('.', '_')}=${value}`,
  );
  return [
    'run',
    '--rm',
    `--name=${name}`,
    `--publish=127.0.0.1:${place.port}:${place.port}`,
    `--volume=${name}:${LOG_DIR}`,
    ...[...variables, `KAFKA_HEAP_OPTS=-Xms64m -Xmx${heapMiB}m`].map((variable) => `--env=${variable}`),
    image,
  ];
}

/** Removes the container of a killed supervisor, which still holds the port; its volume stays. */
export async function endDockerBroker(dataDir: string): Promise<void> {
  if (hasRunInDocker(dataDir)) await docker('rm', '--force', containerName(dataDir));
}

/** Removes Docker's volume and container of a data folder. */
export async function removeDockerBroker(dataDir: string): Promise<void> {
  if (!hasRunInDocker(dataDir)) return;
  const name = containerName(dataDir);
  await docker('rm', '--force', name);
  await docker('volume', 'rm', '--force', name);
}

function hasRunInDocker(dataDir: string): boolean {
  return existsSync(join(dataDir, MARKER)) && hasDocker();
}

function containerName(dataDir: string): string {
  return `truetally-kafka-${createHash('sha256').update(dataDir).digest('hex').slice(0, HASH_CHARACTERS)}`;
}

async function docker(...args: string[]): Promise<void> {
  await promisify(execFile)('docker', args);
}

async function kafkaVersion(): Promise<string> {
  const pom = await readFile(join(REPOSITORY_ROOT, 'tools', 'kafka', 'pom.xml'), 'utf8');
  const version = /<artifactId>kafka_2\.13<\/artifactId>\s*<version>([^<]+)</.exec(pom)?.[1];
  if (version === undefined) throw new Error('The pom names no version of Kafka');
  return version;
}
