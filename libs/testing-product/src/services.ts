import { join } from 'node:path';
import { programsOf, type ServiceName } from '@truetally/contracts/services';
import type { KafkaSecurity } from '@truetally/messaging';
import { ID_TOKEN_AUDIENCE, type IssuerPlace, issuerUrl } from '@truetally/processes';
import { urlOfRole } from '@truetally/processes';

/** The addresses of one installation of the product, and what its services share. */
export interface Installation {
  readonly kafkaBrokers: string;
  /** Of an owner, who may create schemas and roles; services get roles of their own. */
  readonly databaseUrl: string;
  /** Before every topic and group name. */
  readonly topicPrefix: string;
  /** Before every schema name. */
  readonly schemaPrefix: string;
  /** Before every role name: roles belong to the whole Postgres. */
  readonly rolePrefix: string;
  readonly secrets: ProductSecrets;
  /** The keys that seal click values (docs/decisions/click-values.md). */
  readonly keyringFile: string;
  /** Where pictures are kept. */
  readonly mediaDirectory: string;
  /** The issuer of ID tokens that the gateway accepts. */
  readonly issuer: IssuerPlace;
  /** How each service gets into its Kafka (KAFKA_SECURITY_PROTOCOL and so on). Default: plain connections. */
  readonly kafkaUsers?: KafkaUsers;
}

/** Users of a secured Kafka for an installation. */
export interface KafkaUsers {
  readonly services: Readonly<Record<ServiceName, Environment>>;
  /** For clients outside of the product: they may do everything. */
  readonly operator: KafkaSecurity;
}

/** The secrets of an installation: passwords of roles, and the gateway's secrets. */
export interface ProductSecrets {
  readonly rolePasswords: Readonly<Record<ServiceName, string>>;
  readonly adminSecret: string;
  /** `whsec_` and base64; the platform's workers sign with it. */
  readonly workerSecret: string;
  /** Base64url; signs runtime tokens. */
  readonly runtimeTokenSecret: string;
}

/** As the chart has it (k8s/chart/templates/config.yaml). */
export const DEPLOYED_SHUTDOWN_TIMEOUT_MS = '50000';

/** Environment variables of a process. */
export type Environment = Readonly<Record<string, string>>;

/** The Postgres schema of a service in an installation. */
export function schemaOf(installation: Installation, service: ServiceName): string {
  return `${installation.schemaPrefix}${service.replaceAll('-', '_')}`;
}

/** The Postgres role of a service in an installation. */
export function roleOf(installation: Installation, service: ServiceName): string {
  return `${installation.rolePrefix}${service.replaceAll('-', '_')}`;
}

/** The folder of a service's programs, from the repository's root. */
export function programsPath(service: ServiceName): string {
  const { app, folder } = programsOf(service);
  return join('apps', app, folder);
}

/** The environment of a service's `migrate.js`. */
export function migrationEnvironment(installation: Installation, service: ServiceName): Environment {
  return {
    DATABASE_URL: installation.databaseUrl,
    DATABASE_SCHEMA: schemaOf(installation, service),
    DATABASE_ROLE: roleOf(installation, service),
    DATABASE_ROLE_PASSWORD: installation.secrets.rolePasswords[service],
    KAFKA_TOPIC_PREFIX: installation.topicPrefix,
  };
}

/** The environment of a service's `main.js`, without its ports. */
export function serviceEnvironment(installation: Installation, service: ServiceName): Environment {
  const { kafkaBrokers, topicPrefix, keyringFile, mediaDirectory, issuer, secrets } = installation;
  const role = roleOf(installation, service);
  const shared = {
    KAFKA_BROKERS: kafkaBrokers,
    KAFKA_TOPIC_PREFIX: topicPrefix,
    DATABASE_URL: urlOfRole(installation.databaseUrl, role, secrets.rolePasswords[service]),
    DATABASE_SCHEMA: schemaOf(installation, service),
    // Paths for services that need them; others ignore them.
    MEDIA_DIRECTORY: mediaDirectory,
    KEYRING_FILE: keyringFile,
    SHUTDOWN_TIMEOUT_MS: DEPLOYED_SHUTDOWN_TIMEOUT_MS,
    ...installation.kafkaUsers?.services[service],
  };
  if (service !== 'gateway') return shared;
  return {
    ...shared,
    EVENTS_SHARE_POSTGRES: 'true',
    ADMIN_SECRET: secrets.adminSecret,
    WORKER_SECRET: secrets.workerSecret,
    OIDC_ISSUER: issuerUrl(issuer),
    OIDC_AUDIENCE: ID_TOKEN_AUDIENCE,
    DASHBOARD_ORIGINS: (issuer.dashboardOrigins ?? []).join(','),
    RUNTIME_TOKEN_KEYS: JSON.stringify([{ kid: 'local-1', secret: secrets.runtimeTokenSecret }]),
  };
}
