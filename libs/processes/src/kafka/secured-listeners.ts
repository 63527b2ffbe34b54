import { readFileSync } from 'node:fs';
import type { KafkaConfig } from 'kafkajs';

/** A Kafka that requires authentication: SCRAM over TLS on one port, mutual TLS on another. */
export interface SecuredListeners {
  /** The authority of clients' certificates: a PEM file. */
  readonly caFile: string;
  /**
   * The broker's certificate and key, in one PEM file. Its common name is a superuser, which brokers use among
   * each other.
   */
  readonly storeFile: string;
  /** The port for mutual TLS; clients with passwords use the other port. */
  readonly mutualPort: number;
  /**
   * The advertised port for clients with passwords, for example of a link that a test can cut. Default: its own
   * port.
   */
  readonly advertisedPort?: number;
  /** May do everything. */
  readonly superuser: SaslUser;
  /** May do what access lists let them. */
  readonly users: readonly SaslUser[];
}

/** A Kafka user with its password. */
export interface SaslUser {
  readonly name: string;
  readonly password: string;
}

/** The common name in the broker's own certificate. */
export const BROKER_NAME = 'broker';
const MECHANISM = 'SCRAM-SHA-512';

/** The settings beyond those of a plain broker; the controller's port accepts only this machine. */
export function securedSettings(
  { caFile, storeFile, mutualPort, advertisedPort, superuser }: SecuredListeners,
  { port, controllerPort }: { readonly port: number; readonly controllerPort: number },
  host: string,
): Readonly<Record<string, string | number | boolean>> {
  const mutual = `MUTUAL://${host}:${mutualPort}`;
  return {
    listeners: [`BROKER://${host}:${port}`, mutual, `CONTROLLER://${host}:${controllerPort}`].join(','),
    'advertised.listeners': [`BROKER://${host}:${advertisedPort ?? port}`, mutual].join(','),
    'listener.security.protocol.map': 'BROKER:SASL_SSL,MUTUAL:SSL,CONTROLLER:PLAINTEXT',
    'inter.broker.listener.name': 'MUTUAL',
    'sasl.enabled.mechanisms': MECHANISM,
    [`listener.name.broker.${MECHANISM.toLowerCase()}.sasl.jaas.config`]:
      'org.apache.kafka.common.security.scram.ScramLoginModule required;',
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': storeFile,
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': caFile,
    'listener.name.mutual.ssl.client.auth': 'required',
    // The common name alone is the user.
    'ssl.principal.mapping.rules': 'RULE:^CN=([^,]+).*$/$1/',
    'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
    'allow.everyone.if.no.acl.found': false,
    'super.users': [superuser.name, BROKER_NAME, 'ANONYMOUS'].map((name) => `User:${name}`).join(';'),
  };
}

/** Options of the formatting of its log, which create the users. */
export function scramArguments({ superuser, users }: SecuredListeners): readonly string[] {
  return [superuser, ...users].flatMap(({ name, password }) => [
    '--add-scram',
    `${MECHANISM}=[name=${name},password=${password}]`,
  ]);
}

/** The superuser's settings for the driver. */
export function superuserConnection({
  caFile,
  superuser,
}: SecuredListeners): Pick<KafkaConfig, 'sasl' | 'ssl'> {
  return {
    ssl: { ca: [readFileSync(caFile, 'utf8')] },
    sasl: { mechanism: 'scram-sha-512', username: superuser.name, password: superuser.password },
  };
}
