import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES, type ServiceName } from '@truetally/contracts/services';
import type { AccessRule, KafkaSecurity, Messaging } from '@truetally/messaging';
import {
  Authority,
  BROKER_NAME,
  type CertificateFiles,
  type FaultyLink,
  freePort,
  type LocalKafka,
  type LocalPostgres,
  openFaultyLink,
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

export const LOOPBACK = '127.0.0.1';
export const POSTGRES = { name: 'postgres', hosts: [LOOPBACK, 'localhost'] };
const CA = 'ca.crt';
const SERVICES_CA = 'services-ca.crt';
/** In a test, distinct passwords are enough. */
export const PASSWORD = 'correct-horse-battery-staple';
export const USER_PREFIX = 'truetally-';

/** The service that authenticates with a certificate. */
export const MUTUAL: ServiceName = 'attribution-ledger';

interface SecuredServers {
  readonly folder: string;
  readonly authority: Authority;
  readonly kafka: LocalKafka;
  /** The link of clients with passwords to Kafka. */
  readonly link: FaultyLink;
  /** The broker's own certificate, whose user may do everything. */
  readonly broker: CertificateFiles;
  readonly mutualBrokers: string;
  readonly postgres: LocalPostgres;
  /** Postgres' certificate. */
  readonly server: CertificateFiles;
}

/** A Kafka and a Postgres that require TLS and authentication. */
export class SecuredStack {
  private constructor(readonly servers: SecuredServers) {}

  static async start(): Promise<SecuredStack> {
    const folder = await mkdtemp(join(tmpdir(), 'truetally-secured-'));
    const authority = await Authority.create('Truetally test');
    const caFile = join(folder, CA);
    await authority.writeTo(caFile);
    await copyFile(caFile, join(folder, SERVICES_CA));
    const broker = await authority.issue(folder, { name: BROKER_NAME, hosts: [LOOPBACK] });
    const storeFile = await writeStore(join(folder, 'broker.pem'), broker);
    const server = await authority.issue(folder, POSTGRES);
    const [port, mutualPort] = [await freePort(), await freePort()];
    const link = await openFaultyLink(`${LOOPBACK}:${port}`);
    const users = SERVICE_NAMES.map((name) => ({ name: USER_PREFIX + name, password: PASSWORD }));
    const superuser = { name: 'operator', password: PASSWORD };
    const advertisedPort = link.port;
    const [kafka, postgres] = await settleAll([
      startKafka({
        dataDir: join(folder, 'kafka'),
        port,
        secured: { caFile, storeFile, mutualPort, advertisedPort, superuser, users },
      }),
      startPostgres({
        dataDir: join(folder, 'postgres'),
        user: 'owner',
        password: 'owner',
        tls: { ...server, caFile },
      }),
    ]);
    const mutualBrokers = `${LOOPBACK}:${mutualPort}`;
    return new SecuredStack({ folder, authority, kafka, link, broker, mutualBrokers, postgres, server });
  }

  get brokers(): string {
    return this.servers.link.address;
  }

  get caFile(): string {
    return join(this.servers.folder, CA);
  }

  /** The authority that the services trust for Kafka. */
  get servicesCaFile(): string {
    return join(this.servers.folder, SERVICES_CA);
  }

  /** By password, over TLS. */
  userSecurity(username: string, password = PASSWORD): KafkaSecurity {
    return { ...this.tls(), sasl: { mechanism: 'scram-sha-512', username, password } };
  }

  tls(own?: CertificateFiles): Pick<KafkaSecurity, 'tls'> {
    return { tls: { caFile: this.caFile, certFile: own?.certFile, keyFile: own?.keyFile } };
  }

  /** Work of the superuser over a separate link, which no fault of this stack affects. */
  async asOperator<T>(topicPrefix: string, work: (messaging: Messaging) => Promise<T>): Promise<T> {
    const { mutualBrokers, broker } = this.servers;
    const messaging = await openMessaging(mutualBrokers, topicPrefix, 'operator', this.tls(broker));
    try {
      return await work(messaging);
    } finally {
      await messaging.close();
    }
  }

  /** @param isKept which rules of the access lists apply, without prefixes. Default: all */
  async setAccess(
    { topicPrefix, schemaPrefix }: Installation,
    isKept: (rule: AccessRule) => boolean = () => true,
  ): Promise<void> {
    const rules = accessRules({ topicPrefix, schemaPrefix, userPrefix: USER_PREFIX });
    const bare = (rule: AccessRule): AccessRule => ({
      ...rule,
      user: rule.user.slice(USER_PREFIX.length),
      name: rule.name.slice(topicPrefix.length),
    });
    const kept = rules.filter((rule) => isKept(bare(rule)));
    await this.asOperator(topicPrefix, (messaging) => messaging.setAccess(kept));
  }

  /** Applies the access lists to an installation's services, and creates their credentials. */
  async admit(installation: Installation): Promise<KafkaUsers> {
    await this.setAccess(installation);
    const operator = this.userSecurity('operator');
    const environments = await Promise.all(
      SERVICE_NAMES.map(async (name) => [name, await this.environmentOf(name)] as const),
    );
    return { services: Object.fromEntries(environments) as KafkaUsers['services'], operator };
  }

  async stop(): Promise<void> {
    const { folder, kafka, link, postgres } = this.servers;
    await kafka.stop();
    await link.close();
    await postgres.stop();
    await removePostgresData(postgres.dataDir);
    await rm(folder, { recursive: true, force: true });
  }

  private async environmentOf(service: ServiceName): Promise<Environment> {
    const { authority, folder, mutualBrokers } = this.servers;
    const shared = { KAFKA_SSL_CA_FILE: this.servicesCaFile };
    if (service === MUTUAL) {
      const { certFile, keyFile } = await authority.issue(folder, { name: USER_PREFIX + service });
      return {
        ...shared,
        KAFKA_BROKERS: mutualBrokers,
        KAFKA_SECURITY_PROTOCOL: 'SSL',
        KAFKA_SSL_CERT_FILE: certFile,
        KAFKA_SSL_KEY_FILE: keyFile,
      };
    }
    const passwordFile = join(folder, `${service}.password`);
    await writeFile(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
    return {
      ...shared,
      KAFKA_SECURITY_PROTOCOL: 'SASL_SSL',
      KAFKA_SASL_USERNAME: USER_PREFIX + service,
      KAFKA_SASL_PASSWORD_FILE: passwordFile,
    };
  }
}

/** A key and its certificate in one file, as Kafka requires. */
export async function writeStore(file: string, { keyFile, certFile }: CertificateFiles): Promise<string> {
  const parts = await Promise.all([keyFile, certFile].map((part) => readFile(part, 'utf8')));
  await writeFile(file, parts.join(''), { mode: 0o600 });
  return file;
}
