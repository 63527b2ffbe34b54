// Creates the secrets of an installation on one machine, once: make-secrets.mjs <folder> [--kubernetes]
//
// One folder per process, so that each gets only its own secrets. Existing secrets stay, because data is sealed
// with them and
// roles log in with them; missing ones are added. With --kubernetes it also prints them as Secrets, for
// `kubectl apply -f -`. Plain JavaScript: it runs in the image of Node, before anything is built.
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

const SERVICES = [
  'gateway',
  'ingestion',
  'attribution-ledger',
  'experiments',
  'publisher-analytics',
  'management',
];
/** Services that have the keyring for click values and credentials of integrations. */
const WITH_KEYRING = ['gateway', 'publisher-analytics'];
/** Services that read or write files in the object store. */
const WITH_FILES = ['gateway', 'publisher-analytics', 'management'];
/** The user `nonroot` of the images. */
const NONROOT = 65_532;
const POSTGRES_USER = 999;
const SEAWEEDFS_USER = 1_000;
const OWNER = 'truetally';

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Say which folder to fill.');
  process.exit(1);
}

const owner = once('postgres', 'owner-password', password, POSTGRES_USER);
const passwords = Object.fromEntries(
  SERVICES.map((service) => [service, once('migrations', `${service}-password`, password)]),
);
once('migrations', 'owner-database-url', () => databaseUrl(OWNER, owner));
for (const service of SERVICES)
  once(service, 'database-url', () =>
    databaseUrl(`truetally_${service.replaceAll('-', '_')}`, passwords[service]),
  );
once('gateway', 'admin-secret', password);
once('gateway', 'worker-secret', () => `whsec_${randomBytes(32).toString('base64')}`);
once('gateway', 'runtime-token-keys', () => JSON.stringify([{ kid: today(), secret: password() }]));
const keyring = once('gateway', 'keyring.json', newKeyring);
for (const service of WITH_KEYRING) once(service, 'keyring.json', () => keyring);
const s3 = once('seaweedfs', 's3.json', newObjectStoreUser, SEAWEEDFS_USER);
const { accessKey, secretKey } = JSON.parse(s3).identities[0].credentials[0];
for (const service of WITH_FILES) {
  once(service, 's3-access-key-id', () => accessKey);
  once(service, 's3-secret-access-key', () => secretKey);
}
if (flags.includes('--kubernetes')) console.log(JSON.stringify(asSecrets(), null, 2));

/** The secret of that name, created if it is missing. Only its user may read it. */
function once(process, name, make, user = NONROOT) {
  const directory = join(folder, process);
  const path = join(directory, name);
  if (!existsSync(path)) {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
    writeFileSync(path, make(), { mode: 0o400 });
    if (globalThis.process.getuid() === 0) chownSync(path, user, user);
  }
  return readFileSync(path, 'utf8');
}

function password() {
  return randomBytes(32).toString('base64url');
}

function databaseUrl(user, secret) {
  return `postgres://${user}:${secret}@postgres:5432/truetally`;
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

function newKeyring() {
  const key = () => randomBytes(32).toString('base64');
  return JSON.stringify({ current: today(), keys: { [today()]: key() }, matching_key: key() });
}

function newObjectStoreUser() {
  const credentials = [{ accessKey: randomBytes(10).toString('hex'), secretKey: password() }];
  return JSON.stringify({
    identities: [{ name: 'truetally', credentials, actions: ['Admin', 'Read', 'Write', 'List'] }],
  });
}

function asSecrets() {
  const items = readdirSync(folder).map((name) => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'truetally' },
    data: Object.fromEntries(
      readdirSync(join(folder, name)).map((key) => [
        key,
        readFileSync(join(folder, name, key)).toString('base64'),
      ]),
    ),
  }));
  return { apiVersion: 'v1', kind: 'List', items };
}
