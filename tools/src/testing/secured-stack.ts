import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import type { KafkaSecurity } from '@truetally/messaging';
import {
  Authority,
  BROKER_NAME,
  type CertificateFiles,
  freePort,
  type LocalKafka,
  type LocalPostgres,
  removePostgresData,
  settleAll,
  startKafka,
  startPostgres,
} from '@truetally/testing';
import {
  type Environment,
  type Installation,
  type KafkaUsers,
  openMessaging,
} from '@truetally/testing-product';
import { accessRules } from '../kafka/access-rules.js';

const LOOPBACK = '127.0.0.1';
/** In a test a password is only a name that differs from others. */
const PASSWORD = 'correct-horse-battery-staple';
export const USER_PREFIX = 'truetally-';

/** The one that shows a certificate instead of a password. */
export const MUTUAL: ServiceName = 'attribution-ledger';

/** A Kafka and a Postgres that let nobody in who does not say, and show, who it is. */
export class SecuredStack {
  private constructor(
    readonly folder: string,
    readonly authority: Authority,
    readonly caFile: string,
    readonly kafka: LocalKafka,
    readonly mutualBrokers: string,
    readonly postgres: LocalPostgres,
  ) {}

  static async start(): Promise<SecuredStack> {
    const folder = await mkdtemp(join(tmpdir(), 'truetally-secured-'));
    const authority = await Authority.create('Truetally test');
    const caFile = join(folder, 'ca.crt');
    await authority.writeTo(caFile);
    const broker = await authority.issue(folder, { name: BROKER_NAME, hosts: [LOOPBACK] });
    const storeFile = join(folder, 'broker.pem');
    const parts = await Promise.all([broker.keyFile, broker.certFile].map((file) => readFile(file, 'utf8')));
    await writeFile(storeFile, parts.join(''), { mode: 0o600 });
    const server = await authority.issue(folder, { name: 'postgres', hosts: [LOOPBACK, 'localhost'] });
    const mutualPort = await freePort();
    const users = SERVICE_NAMES.map((name) => ({ name: USER_PREFIX + name, password: PASSWORD }));
    const superuser = { name: 'operator', password: PASSWORD };
    const [kafka, postgres] = await settleAll([
      startKafka({
        dataDir: join(folder, 'kafka'),
        secured: { caFile, storeFile, mutualPort, superuser, users },
      }),
      startPostgres({
        dataDir: join(folder, 'postgres'),
        user: 'owner',
        password: 'owner',
        tls: { ...server, caFile },
      }),
    ]);
    return new SecuredStack(folder, authority, caFile, kafka, `${LOOPBACK}:${mutualPort}`, postgres);
  }

  /** By password, over TLS. */
  userSecurity(username: string, password = PASSWORD): KafkaSecurity {
    return { ...this.tls(), sasl: { mechanism: 'scram-sha-512', username, password } };
  }

  tls(own?: CertificateFiles): Pick<KafkaSecurity, 'tls'> {
    return { tls: { caFile: this.caFile, certFile: own?.certFile, keyFile: own?.keyFile } };
  }

  /** Gives the services of an installation what the access lists say, and what to be let in with. */
  async admit({ topicPrefix, schemaPrefix }: Installation): Promise<KafkaUsers> {
    const operator = this.userSecurity('operator');
    const messaging = await openMessaging(this.kafka.brokers, topicPrefix, 'access', operator);
    try {
      await messaging.setAccess(accessRules({ topicPrefix, schemaPrefix, userPrefix: USER_PREFIX }));
    } finally {
      await messaging.close();
    }
    const environments = await Promise.all(
      SERVICE_NAMES.map(async (name) => [name, await this.environmentOf(name)] as const),
    );
    return { services: Object.fromEntries(environments) as KafkaUsers['services'], operator };
  }

  async stop(): Promise<void> {
    await this.kafka.stop();
    await this.postgres.stop();
    await removePostgresData(this.postgres.dataDir);
    await rm(this.folder, { recursive: true, force: true });
  }

  private async environmentOf(service: ServiceName): Promise<Environment> {
    const shared = { KAFKA_SSL_CA_FILE: this.caFile };
    if (service === MUTUAL) {
      const { certFile, keyFile } = await this.authority.issue(this.folder, { name: USER_PREFIX + service });
      return {
        ...shared,
        KAFKA_BROKERS: this.mutualBrokers,
        KAFKA_SECURITY_PROTOCOL: 'SSL',
        KAFKA_SSL_CERT_FILE: certFile,
        KAFKA_SSL_KEY_FILE: keyFile,
      };
    }
    const passwordFile = join(this.folder, `${service}.password`);
    await writeFile(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
    return {
      ...shared,
      KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
      KAFKA_SASL_USERNAME: USER_PREFIX + service,
      KAFKA_SASL_PASSWORD_FILE: passwordFile,
    };
  }
}
