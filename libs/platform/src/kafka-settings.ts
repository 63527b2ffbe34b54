import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Configuration, ConfigError, flag, type Setting, text } from './config.js';

const TOPIC_PREFIX = /^[A-Za-z0-9._-]{0,100}$/;

/** How every service reaches Kafka (docs/operations/kafka-security.md). */
export function kafkaSettings() {
  return {
    KAFKA_BROKERS: brokerList(),
    /** Before every topic and group name, so that several installations can share one cluster. */
    KAFKA_TOPIC_PREFIX: optional({
      rule: 'at most 100 letters, digits, dots, dashes or underscores',
      pattern: TOPIC_PREFIX,
    }),
    /** Instead of the catalogue's, by topic (docs/operations/scaling.md). */
    KAFKA_TOPIC_PARTITIONS: topicPartitions(),
    /** Whether a topic with only one replica stops the start, instead of causing a warning. */
    KAFKA_REQUIRE_REPLICATION: flag({ default: false }),
    ...kafkaSecuritySettings(),
  };
}

const MAX_PORT = 65_535;
/** The driver takes what stands before the first colon for the name, so that a broker with an IPv6 address needs a name. */
const BROKER = /^[^:[\]/]+:([1-9][0-9]{0,4})$/;

function brokerList(): Setting<readonly string[]> {
  return {
    rule: '<name or IPv4 address>:<port> with commas between them',
    parse: (raw) =>
      raw.split(',').map((entry) => {
        const broker = entry.trim();
        if (!(Number(BROKER.exec(broker)?.[1]) <= MAX_PORT))
          throw new RangeError('The value breaks the rule.');
        return broker;
      }),
  };
}

const MAX_PARTITIONS = 1_000;
const TOPIC_PARTITIONS = /^([a-z0-9.-]+)=([1-9][0-9]{0,3})$/;

function topicPartitions(): Setting<ReadonlyMap<string, number>> {
  return {
    rule: `<topic>=<partitions> with commas between them, from 1 to ${MAX_PARTITIONS}`,
    fallback: () => new Map(),
    parse: (raw) =>
      new Map(
        raw.split(',').map((entry) => {
          const [, topic, count] = TOPIC_PARTITIONS.exec(entry.trim()) ?? [];
          if (topic === undefined || Number(count) > MAX_PARTITIONS)
            throw new RangeError('The value breaks the rule.');
          return [topic, Number(count)] as const;
        }),
      ),
  };
}

/** Encryption and authentication of connections; also for programs that get the brokers in another way. */
export function kafkaSecuritySettings() {
  return {
    KAFKA_SECURITY_PROTOCOL: text({
      default: 'PLAINTEXT',
      pattern: /^(PLAINTEXT|SSL|SASL_SSL)$/,
      rule: 'PLAINTEXT, SSL or SASL_SSL',
    }),
    KAFKA_SASL_MECHANISM: text({
      default: 'SCRAM-SHA-512',
      pattern: /^(SCRAM-SHA-(256|512)|PLAIN)$/,
      rule: 'SCRAM-SHA-512, SCRAM-SHA-256 or PLAIN',
    }),
    KAFKA_SASL_USERNAME: optional({ rule: 'a user of Kafka' }),
    KAFKA_SASL_PASSWORD: { ...optional({ rule: "the user's password" }), secret: true },
    /** The trusted authorities; default: those that the system trusts. */
    KAFKA_SSL_CA_FILE: optional({ rule: 'a file of certificates' }),
    /** The client's certificate and key, for brokers that require them: both or neither. */
    KAFKA_SSL_CERT_FILE: optional({ rule: 'a file of certificates' }),
    KAFKA_SSL_KEY_FILE: optional({ rule: 'a file with a private key' }),
  };
}

type SaslMechanism = 'scram-sha-256' | 'scram-sha-512' | 'plain';

/** By the brokers' names. PLAIN sends the password, within TLS. */
const MECHANISMS: Readonly<Record<string, SaslMechanism>> = {
  'SCRAM-SHA-512': 'scram-sha-512',
  'SCRAM-SHA-256': 'scram-sha-256',
  PLAIN: 'plain',
};

/** The values of `kafkaSecuritySettings`. */
export type KafkaSecurityConfig = Configuration<ReturnType<typeof kafkaSecuritySettings>>;

/** Encryption and authentication by the settings; plain connections without both. */
export interface KafkaSecurityOptions {
  readonly tls?: {
    readonly caFile: string | undefined;
    readonly certFile: string | undefined;
    readonly keyFile: string | undefined;
  };
  readonly sasl?: {
    readonly mechanism: SaslMechanism;
    readonly username: string;
    readonly password: string;
  };
}

/**
 * Reads each file once, so that an invalid one stops the start instead of failing the first connection.
 * @throws ConfigError naming missing settings, settings without effect, and invalid files
 */
export function kafkaSecurityOf(config: KafkaSecurityConfig): KafkaSecurityOptions {
  const protocol = config.KAFKA_SECURITY_PROTOCOL;
  const problems = [...idleSettings(config), ...missingSettings(config), ...fileProblems(config)];
  if (problems.length > 0) throw new ConfigError(problems);
  if (protocol === 'PLAINTEXT') return {};
  const tls = {
    caFile: given(config.KAFKA_SSL_CA_FILE),
    certFile: given(config.KAFKA_SSL_CERT_FILE),
    keyFile: given(config.KAFKA_SSL_KEY_FILE),
  };
  if (protocol === 'SSL') return { tls };
  const mechanism = MECHANISMS[config.KAFKA_SASL_MECHANISM] ?? 'scram-sha-512';
  return {
    tls,
    sasl: { mechanism, username: config.KAFKA_SASL_USERNAME, password: config.KAFKA_SASL_PASSWORD },
  };
}

const SASL = ['KAFKA_SASL_USERNAME', 'KAFKA_SASL_PASSWORD'] as const;
const CERTIFICATE = ['KAFKA_SSL_CERT_FILE', 'KAFKA_SSL_KEY_FILE'] as const;
const FILES = ['KAFKA_SSL_CA_FILE', ...CERTIFICATE] as const;

/** Settings without effect are errors, because an operator would rely on them. */
function idleSettings(config: KafkaSecurityConfig): readonly string[] {
  const protocol = config.KAFKA_SECURITY_PROTOCOL;
  const unused = protocol === 'PLAINTEXT' ? [...SASL, ...FILES] : protocol === 'SSL' ? SASL : [];
  return unused
    .filter((name) => config[name] !== '')
    .map((name) => `${name} has no effect with KAFKA_SECURITY_PROTOCOL=${protocol}`);
}

function missingSettings(config: KafkaSecurityConfig): readonly string[] {
  const protocol = config.KAFKA_SECURITY_PROTOCOL;
  const needed = protocol === 'SASL_SSL' ? SASL.filter((name) => config[name] === '') : [];
  const halves = CERTIFICATE.filter((name) => config[name] === '');
  return [
    ...needed.map((name) => `${name} is missing; KAFKA_SECURITY_PROTOCOL=${protocol} needs it`),
    ...(halves.length === 1 ? [`${CERTIFICATE.join(' and ')} need each other`] : []),
  ];
}

function fileProblems(config: KafkaSecurityConfig): readonly string[] {
  const problems: string[] = [];
  const contents = FILES.map((name) => {
    if (config[name] === '') return undefined;
    try {
      return readFileSync(config[name]);
    } catch (error) {
      const isCoded = typeof error === 'object' && error !== null && 'code' in error;
      problems.push(`${name} names a file that cannot be read (${isCoded ? String(error.code) : 'unknown'})`);
      return undefined;
    }
  });
  if (problems.length > 0) return problems;
  const [ca, cert, key] = contents;
  if (ca !== undefined && !isUsable({ ca })) return ['KAFKA_SSL_CA_FILE holds no certificate'];
  if (cert === undefined || key === undefined || isUsable({ cert, key })) return [];
  return [`${CERTIFICATE.join(' and ')} are no certificate and its private key`];
}

function isUsable(parts: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer }): boolean {
  // A file of authorities without any certificate is accepted silently, and then no server is trusted.
  if (parts.ca !== undefined && !parts.ca.includes('-----BEGIN CERTIFICATE-----')) return false;
  try {
    createSecureContext(parts);
    return true;
  } catch {
    return false;
  }
}

function given(value: string): string | undefined {
  return value === '' ? undefined : value;
}

function optional(options: { readonly rule: string; readonly pattern?: RegExp }): Setting<string> {
  return { ...text(options), fallback: () => '' };
}
