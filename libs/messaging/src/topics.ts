import { type Admin, type DescribeConfigResponse } from 'kafkajs';
import { kafkajs } from './driver-speed/kafkajs.js';
import { describeError, protocolErrorType, UNKNOWN_TOPIC } from './errors.js';
import { MIN_COPIES, REPLICAS } from './limits.js';
import { type MessagingLog } from './log.js';

/** A topic as a service creates it. */
export interface TopicSpec {
  /** Without prefix. */
  readonly name: string;
  readonly partitions: number;
  /** Topic configuration, `cleanup.policy` for example; everything else is the broker's default. */
  readonly config?: Readonly<Record<string, string>>;
}

/** A topic as the brokers have it. */
export interface TopicDescription {
  readonly name: string;
  readonly partitions: number;
  /** Of the partition with the lowest number. */
  readonly replicationFactor: number;
  /** Partitions with fewer copies in sync than they have. */
  readonly underReplicatedPartitions: number;
  /** The topic's own configuration, without the brokers' defaults. */
  readonly config: Readonly<Record<string, string>>;
  /** The effective value, wherever it was set. */
  readonly minInsyncReplicas: number;
  /** The effective value of `compression.type`, too. */
  readonly compression: string;
}

/**
 * Creates missing topics, with enough copies to survive the loss of a broker, and sets on existing topics the
 * configuration that our guarantees rest on. The number of partitions stays as it is: fewer are impossible,
 * and more would move keys to other partitions, which is an operator's decision, as is moving copies between
 * brokers.
 */
export async function ensureTopics(
  admin: Admin,
  topics: readonly TopicSpec[],
  log: MessagingLog,
): Promise<ReadonlyMap<string, TopicDescription>> {
  const existing = new Set(await admin.listTopics());
  await createTopics(
    admin,
    topics.filter(({ name }) => !existing.has(name)),
    log,
  );
  const unknown: ReadonlyMap<string, TopicDescription> = new Map();
  const names = topics.map(({ name }) => name);
  return unlessForbidden(log, unknown, async () => {
    const found = await describeTopics(admin, names);
    const wrong = topics.flatMap((spec) => correctionOf(spec, found.get(spec.name)));
    if (wrong.length === 0) return found;
    await unlessForbidden(log, undefined, () => correctTopics(admin, wrong, log));
    return describeTopics(admin, names);
  });
}

async function createTopics(admin: Admin, missing: readonly TopicSpec[], log: MessagingLog): Promise<void> {
  if (missing.length === 0) return;
  const { brokers } = await admin.describeCluster();
  const replicationFactor = Math.min(REPLICAS, brokers.length);
  // Another process may have created some of them first; the driver reports success.
  await admin.createTopics({
    waitForLeaders: true,
    topics: missing.map((spec) => ({
      topic: spec.name,
      numPartitions: spec.partitions,
      replicationFactor,
      configEntries: Object.entries(wantedConfig(spec, replicationFactor)).map(([name, value]) => ({
        name,
        value,
      })),
    })),
  });
  log.info({ topics: missing.map(({ name }) => name), replicationFactor }, 'topics created');
}

async function correctTopics(admin: Admin, wrong: readonly Correction[], log: MessagingLog): Promise<void> {
  await admin.alterConfigs({
    validateOnly: false,
    resources: wrong.map(({ name, config }) => ({
      type: kafkajs.ConfigResourceTypes.TOPIC,
      name,
      // The driver replaces the whole configuration: settings of others are repeated.
      configEntries: Object.entries(config).map(([entry, value]) => ({ name: entry, value })),
    })),
  });
  log.info({ topics: wrong.map(({ name }) => name) }, 'topics configured');
}

/** Where operators create the topics, services may lack permission to read their configuration. */
async function unlessForbidden<T>(log: MessagingLog, otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!AUTHORIZATION.includes(protocolErrorType(error) ?? '')) throw error;
    log.warn({ error: describeError(error) }, 'the configuration of topics may not be looked at');
    return otherwise;
  }
}

const AUTHORIZATION: readonly string[] = ['TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED'];

type Correction = Pick<TopicDescription, 'config' | 'name'>;

function correctionOf(spec: TopicSpec, found: TopicDescription | undefined): readonly Correction[] {
  if (found === undefined) return [];
  const wanted = { ...wantedConfig(spec, found.replicationFactor), ...readable(found) };
  const isRight = Object.entries(wanted).every(([name, value]) => found.config[name] === value);
  return isRight ? [] : [{ name: spec.name, config: { ...found.config, ...wanted } }];
}

/**
 * A broker that compresses what it is sent would stop our readers, whose driver knows gzip alone. Nothing is set where none
 * does: some providers refuse the setting.
 */
function readable({ compression }: TopicDescription): Readonly<Record<string, string>> {
  return READABLE.includes(compression) ? {} : { [COMPRESSION]: AS_SENT };
}

/** An acknowledged message is on at least two brokers, where there are two. */
function wantedConfig({ config = {} }: TopicSpec, replicas: number): Readonly<Record<string, string>> {
  return { [MIN_INSYNC]: String(Math.min(MIN_COPIES, replicas)), ...config };
}

const MIN_INSYNC = 'min.insync.replicas';
const COMPRESSION = 'compression.type';
const AS_SENT = 'producer';
const READABLE = [AS_SENT, 'uncompressed', 'gzip'];
/** Set for the topic itself, in the protocol's terms. */
const SOURCE_TOPIC = 1;

/**
 * The topics that the brokers do not have. Their list omits topics that this user may not describe, so that
 * each topic that is not in it is requested by its name.
 * @param names with prefix
 * @throws when the user may not describe one of them, so that its existence is unknown
 */
export async function missingTopics(admin: Admin, names: readonly string[]): Promise<readonly string[]> {
  const listed = new Set(await admin.listTopics());
  const missing: string[] = [];
  for (const name of names) {
    if (!listed.has(name) && (await isMissing(admin, name))) missing.push(name);
  }
  return missing;
}

async function isMissing(admin: Admin, name: string): Promise<boolean> {
  try {
    await admin.fetchTopicMetadata({ topics: [name] });
    return false;
  } catch (error) {
    if (protocolErrorType(error) === UNKNOWN_TOPIC) return true;
    throw error;
  }
}

/** Topics by name, including the prefix; missing ones are left out. */
export async function describeTopics(
  admin: Admin,
  names: readonly string[],
): Promise<ReadonlyMap<string, TopicDescription>> {
  if (names.length === 0) return new Map();
  const { topics } = await admin.fetchTopicMetadata({ topics: [...names] });
  const configs = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: kafkajs.ConfigResourceTypes.TOPIC, name })),
  });
  const configOf = new Map(configs.resources.map((resource) => [resource.resourceName, resource]));
  return new Map(
    topics.map(({ name, partitions }) => {
      const copies = partitions.map(({ replicas }) => replicas.length);
      return [
        name,
        {
          name,
          partitions: partitions.length,
          replicationFactor: copies.length === 0 ? 0 : Math.min(...copies),
          underReplicatedPartitions: partitions.filter(({ isr, replicas }) => isr.length < replicas.length)
            .length,
          ...readConfig(configOf.get(name)),
        },
      ] as const;
    }),
  );
}

function readConfig(
  resource: DescribeConfigResponse['resources'][number] | undefined,
): Pick<TopicDescription, 'compression' | 'config' | 'minInsyncReplicas'> {
  const entries = resource?.configEntries ?? [];
  const own = entries.filter(({ configSource }) => (configSource as number) === SOURCE_TOPIC);
  const effective = (wanted: string): string | undefined =>
    entries.find(({ configName }) => configName === wanted)?.configValue;
  return {
    config: Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue])),
    minInsyncReplicas: Number(effective(MIN_INSYNC) ?? 1),
    compression: effective(COMPRESSION) ?? AS_SENT,
  };
}
