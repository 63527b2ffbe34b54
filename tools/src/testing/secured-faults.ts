import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type ConnectionOptions } from 'node:tls';
import { TOPICS } from '@truetally/contracts/topics';
import type { AccessRule } from '@truetally/messaging';
import { connectionOf } from '@truetally/persistence';
import {
  Authority,
  BROKER_NAME,
  type CertificateFiles,
  changeCertificate,
  changePassword,
  eventually,
  tryToRead,
} from '@truetally/testing';
import type { LaunchedProduct } from '@truetally/testing-product';
import pg from 'pg';
import { LOOPBACK, PASSWORD, POSTGRES, type SecuredStack, USER_PREFIX, writeStore } from './secured-stack.js';

/** A wrong certificate, password or permission while the product runs, and its correction. */
export interface SecurityFault {
  readonly what: string;
  /** Text in a line of a service's log, and how many lines the fault must have logged. */
  readonly says: RegExp;
  readonly times: number;
  begin(secured: SecuredProduct): Promise<void>;
  end(secured: SecuredProduct): Promise<void>;
}

export interface SecuredProduct {
  readonly stack: SecuredStack;
  readonly product: LaunchedProduct;
  /** A connection of Postgres' owner from before the fault. */
  readonly owner: pg.Client;
}

const REFUSED_USER = `${USER_PREFIX}ingestion`;
/** More attempts than a poison message or a missing topic gets. */
const MANY_TRIES = 6;
const BROKER = { type: 4, name: '1' } as const;

export const SECURITY_FAULTS: readonly SecurityFault[] = [
  {
    what: 'an authority of Kafka that is not the one',
    says: /certificate/,
    times: 1,
    begin: async ({ stack }) => {
      await (await Authority.create('Somebody else')).writeTo(stack.servicesCaFile);
      endConnections(stack);
    },
    end: ({ stack }) => copyFile(stack.caFile, stack.servicesCaFile),
  },
  {
    what: "Kafka's certificate has expired",
    says: /certificate has expired/,
    times: 1,
    begin: async ({ stack, product }) => {
      const files = await otherCertificate(stack, { name: BROKER_NAME, hosts: [LOOPBACK], hasExpired: true });
      await showBroker(stack, product, files);
      endConnections(stack);
    },
    end: ({ stack, product }) => showBroker(stack, product, stack.servers.broker),
  },
  {
    what: "a service's password that Kafka refuses",
    says: /SASL|[Aa]uthentication/,
    times: 1,
    begin: async ({ stack, product }) => {
      await setPassword(stack, `not-${PASSWORD}`);
      await eventually(async () => (await lookAround(stack, product)) === 'KafkaJSSASLAuthenticationError');
      endConnections(stack);
    },
    end: ({ stack }) => setPassword(stack, PASSWORD),
  },
  withoutRules(
    'a service that may not ask another',
    ({ user, name, operation }) =>
      user === 'gateway' && name === TOPICS.trackEvent.name && operation === 'Write',
    // Of which topic, too, which Kafka does not say.
    /ingestion\.track-event.*not authorized/i,
  ),
  withoutRules('a service that may not read what it is asked', ({ user, operation }) => {
    return user === 'ingestion' && operation === 'Read';
  }),
  withoutRules(
    'a service that may not publish its facts',
    ({ user, name }) => user === 'attribution-ledger' && name === TOPICS.conversionsRecorded.name,
    /The outbox could not be published/,
    MANY_TRIES,
  ),
  postgresFault("Postgres' certificate is a stranger's", async (stack) => {
    const stranger = await Authority.create('Somebody else');
    return stranger.issue(await mkdtemp(join(stack.servers.folder, 'stranger-')), POSTGRES);
  }),
  postgresFault("Postgres' certificate has expired", (stack) =>
    otherCertificate(stack, { ...POSTGRES, hasExpired: true }),
  ),
];

/** Kafka checks permissions for each request, so that open connections are affected. */
function withoutRules(
  what: string,
  isTaken: (rule: AccessRule) => boolean,
  says = /not authorized|AUTHORIZATION|Failed to find group coordinator/i,
  times = 1,
): SecurityFault {
  return {
    what,
    says,
    times,
    begin: ({ stack, product }) => stack.setAccess(product.installation, (rule) => !isTaken(rule)),
    end: ({ stack, product }) => stack.setAccess(product.installation),
  };
}

function postgresFault(
  what: string,
  wrong: (stack: SecuredStack) => Promise<CertificateFiles>,
): SecurityFault {
  return {
    what,
    says: /certificate.*handler is called again/,
    times: MANY_TRIES,
    begin: async ({ stack, product, owner }) => {
      await changeCertificate(stack.servers.postgres, await wrong(stack));
      await eventually(async () => !(await isPostgresTrusted(stack)));
      await owner.query('select pg_terminate_backend(pid) from pg_stat_activity where usename like $1', [
        `${product.installation.rolePrefix}%`,
      ]);
    },
    end: async ({ stack }) => {
      await changeCertificate(stack.servers.postgres, stack.servers.server);
      await eventually(() => isPostgresTrusted(stack));
    },
  };
}

/** Clients with a password must reconnect. */
function endConnections({ servers: { link } }: SecuredStack): void {
  link.cut();
  link.mend();
}

async function otherCertificate(
  { servers: { authority, folder } }: SecuredStack,
  request: Parameters<Authority['issue']>[1],
): Promise<CertificateFiles> {
  return authority.issue(await mkdtemp(join(folder, 'other-')), request);
}

/** The certificate of the listener for passwords from now on. */
async function showBroker(
  stack: SecuredStack,
  product: LaunchedProduct,
  files: CertificateFiles,
): Promise<void> {
  const store = await writeStore(
    join(await mkdtemp(join(stack.servers.folder, 'store-')), 'broker.pem'),
    files,
  );
  const settings = { 'keystore.type': 'PEM', 'keystore.location': store };
  const configEntries = Object.entries(settings).map(([name, value]) => ({
    name: `listener.name.broker.ssl.${name}`,
    value,
  }));
  await stack.asOperator(product.installation.topicPrefix, (messaging) =>
    messaging.administer((admin) =>
      admin.alterConfigs({ validateOnly: false, resources: [{ ...BROKER, configEntries }] }),
    ),
  );
  const shown = await readFile(files.certFile, 'utf8');
  await eventually(async () => (await certificateOf(stack)) === shown.replaceAll(/\s/g, ''));
}

/** The broker's certificate on that listener, without white space. */
async function certificateOf({ servers: { link } }: SecuredStack): Promise<string> {
  const options: ConnectionOptions = { host: LOOPBACK, port: link.port, rejectUnauthorized: false };
  const socket = connect(options);
  try {
    await once(socket, 'secureConnect');
    const { raw } = socket.getPeerCertificate();
    return `-----BEGINCERTIFICATE-----${raw.toString('base64')}-----ENDCERTIFICATE-----`;
  } finally {
    socket.destroy();
  }
}

async function setPassword({ servers, caFile }: SecuredStack, password: string): Promise<void> {
  const { folder, broker, mutualBrokers } = servers;
  const store = await writeStore(join(folder, 'operator.pem'), broker);
  const settings = {
    'security.protocol': 'SSL',
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': caFile,
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': store,
  };
  const file = join(folder, 'operator.properties');
  await writeFile(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  await changePassword(mutualBrokers, file, { name: REFUSED_USER, password });
}

/** Connects as the user whose password is changed, with the original password. */
function lookAround(stack: SecuredStack, { installation }: LaunchedProduct): Promise<string> {
  const { sasl } = stack.userSecurity(REFUSED_USER);
  const attempt = { brokers: stack.brokers, caFile: stack.caFile, ...(sasl === undefined ? {} : { sasl }) };
  const name = (topic: string): string => installation.topicPrefix + topic;
  return tryToRead(attempt, name(TOPICS.trackEvent.name), name('ingestion.attempt'));
}

async function isPostgresTrusted({ servers: { postgres } }: SecuredStack): Promise<boolean> {
  const client = new pg.Client(connectionOf(postgres.url));
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end();
  }
}
