import { readFileSync } from 'node:fs';
import type { KafkaConfig } from 'kafkajs';

/** A Kafka that lets nobody in without a name: SCRAM over TLS on one port, mutual TLS on another. */
export interface SecuredListeners {
  /** Whom clients' certificates must come from: a PEM file. */
  readonly caFile: string;
  /** Its certificate and its key, in one PEM file. Its common name is a superuser, as which brokers speak to each other. */
  readonly storeFile: string;
  /** Of mutual TLS; clients with passwords come to the other port. */
  readonly mutualPort: number;
  /** Where clients with passwords are sent: a way to the broker that a test can cut. Default: its own port. */
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

/** What is different from a plain broker; the controller's port takes nobody but this machine. */
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

/** How its log is formatted, so that the users are there from the start. */
export function scramArguments({ superuser, users }: SecuredListeners): readonly string[] {
  return [superuser, ...users].flatMap(({ name, password }) => [
    '--add-scram',
    `${MECHANISM}=[name=${name},password=${password}]`,
  ]);
}

/** For a client of the driver's own: the superuser's. */
export function superuserConnection({
  caFile,
  superuser,
}: SecuredListeners): Pick<KafkaConfig, 'sasl' | 'ssl'> {
  return {
    ssl: { ca: [readFileSync(caFile, 'utf8')] },
    sasl: { mechanism: 'scram-sha-512', username: superuser.name, password: superuser.password },
  };
}
