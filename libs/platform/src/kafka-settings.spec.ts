import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Authority, type CertificateFiles } from '@truetally/testing';
import { ConfigError, databaseSettings, databaseUrlOf, kafkaSecurityOf, readConfig } from './index.js';
import { kafkaSecuritySettings, kafkaSettings } from './kafka-settings.js';

type Variables = Readonly<Record<string, string>>;

const folder = mkdtempSync(join(tmpdir(), 'truetally-settings-'));
const KAFKA_SSL_CA_FILE = join(folder, 'ca.crt');
const EMPTY_FILE = join(folder, 'empty');
const MISSING_FILE = join(folder, 'missing');
const USER = { KAFKA_SASL_USERNAME: 'gateway', KAFKA_SASL_PASSWORD: 'S3cret-of-the-user' };

let own: CertificateFiles;
let other: CertificateFiles;

beforeAll(async () => {
  const authority = await Authority.create('Test');
  await authority.writeTo(KAFKA_SSL_CA_FILE);
  own = await authority.issue(folder, { name: 'gateway' });
  other = await authority.issue(folder, { name: 'ingestion' });
  writeFileSync(EMPTY_FILE, '');
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const securityOf = (variables: Variables) =>
  kafkaSecurityOf(readConfig({ ...variables }, kafkaSecuritySettings()));
const urlOf = (variables: Variables) => databaseUrlOf(readConfig({ ...variables }, databaseSettings()));

function problemsOf(read: () => unknown): readonly string[] {
  try {
    read();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

const brokersOf = (KAFKA_BROKERS: string) => readConfig({ KAFKA_BROKERS }, kafkaSettings()).KAFKA_BROKERS;

describe('where Kafka is', () => {
  it('brokers are names or IPv4 addresses, each with its port', () => {
    expect(brokersOf('b-1.kafka.example:9096, 10.0.0.7:9092')).toEqual([
      'b-1.kafka.example:9096',
      '10.0.0.7:9092',
    ]);
  });

  it.each([
    'kafka',
    'kafka:port',
    'kafka:0',
    'kafka:65536',
    'kafka:9092,:9093',
    '[fd00::1]:9092',
    'fd00::1:9092',
  ])('a process does not start with the broker %j, which no connection could reach', (brokers) => {
    expect(problemsOf(() => brokersOf(brokers))).toEqual([
      expect.stringMatching(/^KAFKA_BROKERS must be <name or IPv4 address>:<port>/),
    ]);
  });
});

describe('how Kafka is secured', () => {
  it('the security of Kafka is absent without settings', () => {
    expect(securityOf({})).toEqual({});
  });

  it('the security of Kafka is TLS with a user', () => {
    expect(securityOf({ KAFKA_SECURITY_PROTOCOL: 'SASL_SSL', KAFKA_SSL_CA_FILE, ...USER })).toEqual({
      tls: { caFile: KAFKA_SSL_CA_FILE, certFile: undefined, keyFile: undefined },
      sasl: { mechanism: 'scram-sha-512', username: 'gateway', password: 'S3cret-of-the-user' },
    });
    const shorter = { KAFKA_SECURITY_PROTOCOL: 'SASL_SSL', KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256', ...USER };
    expect(securityOf(shorter).sasl?.mechanism).toBe('scram-sha-256');
  });

  it('the security of Kafka is mutual TLS with a certificate of our own', () => {
    const { certFile, keyFile } = own;
    const certificate = { KAFKA_SSL_CERT_FILE: certFile, KAFKA_SSL_KEY_FILE: keyFile };
    expect(securityOf({ KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_SSL_CA_FILE, ...certificate })).toEqual({
      tls: { caFile: KAFKA_SSL_CA_FILE, certFile, keyFile },
    });
  });

  it.each<[string, () => Variables, readonly string[]]>([
    [
      'a protocol that nobody knows',
      () => ({ KAFKA_SECURITY_PROTOCOL: 'SASL_PLAINTEXT' }),
      ['KAFKA_SECURITY_PROTOCOL must be PLAINTEXT, SSL or SASL_SSL; got "SASL_PLAINTEXT"'],
    ],
    [
      'a mechanism that sends the password',
      () => ({ KAFKA_SECURITY_PROTOCOL: 'SASL_SSL', KAFKA_SASL_MECHANISM: 'GSSAPI', ...USER }),
      ['KAFKA_SASL_MECHANISM must be SCRAM-SHA-512, SCRAM-SHA-256 or PLAIN; got "GSSAPI"'],
    ],
    [
      'a user without the protocol',
      () => USER,
      Object.keys(USER).map((name) => `${name} has no effect with KAFKA_SECURITY_PROTOCOL=PLAINTEXT`),
    ],
    [
      'files without the protocol',
      () => ({ KAFKA_SSL_CA_FILE }),
      ['KAFKA_SSL_CA_FILE has no effect with KAFKA_SECURITY_PROTOCOL=PLAINTEXT'],
    ],
    [
      'a user beside a certificate alone',
      () => ({ KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_SASL_USERNAME: 'gateway' }),
      ['KAFKA_SASL_USERNAME has no effect with KAFKA_SECURITY_PROTOCOL=SSL'],
    ],
    [
      'no password',
      () => ({ KAFKA_SECURITY_PROTOCOL: 'SASL_SSL', KAFKA_SASL_USERNAME: 'gateway' }),
      ['KAFKA_SASL_PASSWORD is missing; KAFKA_SECURITY_PROTOCOL=SASL_SSL needs it'],
    ],
    [
      'a certificate without its key',
      () => ({ KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_SSL_CERT_FILE: own.certFile }),
      ['KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE need each other'],
    ],
    [
      'the key of another certificate',
      () => ({
        KAFKA_SECURITY_PROTOCOL: 'SSL',
        KAFKA_SSL_CERT_FILE: own.certFile,
        KAFKA_SSL_KEY_FILE: other.keyFile,
      }),
      ['KAFKA_SSL_CERT_FILE and KAFKA_SSL_KEY_FILE are no certificate and its private key'],
    ],
    [
      'an authority without a certificate',
      () => ({ KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_SSL_CA_FILE: EMPTY_FILE }),
      ['KAFKA_SSL_CA_FILE holds no certificate'],
    ],
    [
      'a file that is not there',
      () => ({ KAFKA_SECURITY_PROTOCOL: 'SSL', KAFKA_SSL_CA_FILE: MISSING_FILE }),
      ['KAFKA_SSL_CA_FILE names a file that cannot be read (ENOENT)'],
    ],
  ])('the security of Kafka is refused with %s', (_name, variables, problems) => {
    const read = (): unknown => securityOf(variables());
    expect(problemsOf(read)).toEqual(problems);
    expect(problemsOf(read).join()).not.toContain(USER.KAFKA_SASL_PASSWORD);
  });
});

describe('how Postgres is secured', () => {
  const PLAIN = 'postgres://gateway:S3cret@db.example/truetally';
  const ca = encodeURIComponent(KAFKA_SSL_CA_FILE);

  it('follows the URL, or the separate file', () => {
    expect(urlOf({ DATABASE_URL: PLAIN })).toBe(PLAIN);
    const verified = `${PLAIN}?sslmode=verify-full&sslrootcert=${ca}`;
    expect(urlOf({ DATABASE_URL: verified })).toBe(verified);
    expect(urlOf({ DATABASE_URL: PLAIN, DATABASE_SSL_CA_FILE: KAFKA_SSL_CA_FILE })).toBe(verified);
  });

  it.each(['require', 'prefer', 'allow', 'verify-ca', 'no-verify'])(
    'the security of Postgres is refused with sslmode=%s',
    (mode) => {
      const [problem = ''] = problemsOf(() => urlOf({ DATABASE_URL: `${PLAIN}?sslmode=${mode}` }));
      expect(problem).toContain('DATABASE_URL must be a URL beginning with postgres://');
      expect(problem).not.toContain('S3cret');
    },
  );

  it.each(['sslrootcert=/ca.crt', 'sslmode=verify-full&sslcert=/own.crt', 'sslmode=disable&sslrootcert=/a'])(
    'the security of Postgres is refused with %s, which would protect nothing',
    (query) => {
      expect(problemsOf(() => urlOf({ DATABASE_URL: `${PLAIN}?${query}` }))).toHaveLength(1);
    },
  );

  it('the security of Postgres is refused when URL and file contradict each other, or the file is none', () => {
    const both = { DATABASE_URL: `${PLAIN}?sslmode=disable`, DATABASE_SSL_CA_FILE: KAFKA_SSL_CA_FILE };
    expect(problemsOf(() => urlOf(both))).toEqual([
      'DATABASE_SSL_CA_FILE and what DATABASE_URL says of TLS contradict each other',
    ]);
    for (const file of [EMPTY_FILE, MISSING_FILE]) {
      expect(problemsOf(() => urlOf({ DATABASE_URL: PLAIN, DATABASE_SSL_CA_FILE: file }))).toEqual([
        'DATABASE_SSL_CA_FILE names no file with a certificate that can be read',
      ]);
    }
  });
});
