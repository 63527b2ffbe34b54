// Creates the secrets of an installation, once: make-secrets.mjs <folder> [--kubernetes] [--postgres <host>]
//
// One folder per process, so that each gets only its own secrets. Existing secrets stay, because data is sealed
// with them and
// roles log in with them; missing ones are added. With --kubernetes it also prints them as Secrets, for
// `kubectl apply -f -`. With --postgres they are for a server of that name that somebody else runs, whose owner gets
// the secret `truetally-owner`, and for the object store of S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY. Plain JavaScript: it runs in the image of Node, before anything is built.
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
import { parseArgs } from 'node:util';

const SERVICES = [
  'gateway',
  'ingestion',
  'attribution-ledger',
  'experiments',
  'analytics',
  'publisher-analytics',
  'management',
  'outbound',
];
/** Services that have the keyring for click values, credentials of integrations and secrets of webhooks. */
const WITH_KEYRING = ['gateway', 'publisher-analytics', 'outbound'];
/** Services that read or write files in the object store. */
const WITH_FILES = ['gateway', 'publisher-analytics', 'management'];
/** The user `nonroot` of the images. */
const NONROOT = 65_532;
const POSTGRES_USER = 999;
const SEAWEEDFS_USER = 1_000;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { kubernetes: { type: 'boolean', default: false }, postgres: { type: 'string' } },
});
const [folder] = positionals;
if (folder === undefined) {
  console.error('Say which folder to fill.');
  process.exit(1);
}

/** Whether the server is that of Compose and k8s/local. */
const isOurServer = options.postgres === undefined;
const host = options.postgres ?? 'postgres';
const ownerName = isOurServer ? 'truetally' : 'truetally_owner';
const owner = isOurServer
  ? once('postgres', 'owner-password', password, POSTGRES_USER)
  : once('truetally-owner', 'password', password);
if (!isOurServer) once('truetally-owner', 'username', () => ownerName);
const passwords = Object.fromEntries(
  SERVICES.map((service) => [service, once('migrations', `${service}-password`, password)]),
);
once('migrations', 'owner-database-url', () => databaseUrl(ownerName, owner));
for (const service of SERVICES) {
  const role = `truetally_${service.replaceAll('-', '_')}`;
  once(service, 'database-url', () => databaseUrl(role, passwords[service]));
  if (isOurServer) continue;
  once(`truetally-role-${service}`, 'username', () => role);
  once(`truetally-role-${service}`, 'password', () => passwords[service]);
}
once('gateway', 'admin-secret', password);
once('gateway', 'worker-secret', () => `whsec_${randomBytes(32).toString('base64')}`);
once('gateway', 'runtime-token-keys', () => JSON.stringify([{ kid: today(), secret: password() }]));
const keyring = once('gateway', 'keyring.json', newKeyring);
for (const service of WITH_KEYRING) once(service, 'keyring.json', () => keyring);
const { accessKey, secretKey } = isOurServer ? ourStoreUser() : givenStoreUser();
for (const service of WITH_FILES) {
  once(service, 's3-access-key-id', () => accessKey);
  once(service, 's3-secret-access-key', () => secretKey);
}
if (options.kubernetes) console.log(JSON.stringify(asSecrets(), null, 2));

/** The secret of that name, created if it is missing. Only its user may read it. */
function once(reader, name, make, user = NONROOT) {
  const directory = join(folder, reader);
  const path = join(directory, name);
  if (!existsSync(path)) {
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o755);
    writeFileSync(path, make(), { mode: 0o400 });
    if (process.getuid() === 0) chownSync(path, user, user);
  }
  return readFileSync(path, 'utf8');
}

function password() {
  return randomBytes(32).toString('base64url');
}

function databaseUrl(user, secret) {
  return `postgres://${user}:${secret}@${host}:5432/truetally`;
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

function newKeyring() {
  const key = () => randomBytes(32).toString('base64');
  return JSON.stringify({ current: today(), keys: { [today()]: key() }, matching_key: key() });
}

function ourStoreUser() {
  const settings = once('seaweedfs', 's3.json', newObjectStoreUser, SEAWEEDFS_USER);
  return JSON.parse(settings).identities[0].credentials[0];
}

function givenStoreUser() {
  const { S3_ACCESS_KEY_ID: accessKey, S3_SECRET_ACCESS_KEY: secretKey } = process.env;
  if (accessKey && secretKey) return { accessKey, secretKey };
  console.error('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set.');
  process.exit(1);
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
    metadata: {
      name,
      namespace: 'truetally',
      // By the label CloudNativePG notices a changed password.
      ...(/^truetally-(?:owner|role-)/.test(name) ? { labels: { 'cnpg.io/reload': 'true' } } : {}),
    },
    data: Object.fromEntries(
      readdirSync(join(folder, name)).map((key) => [
        key,
        readFileSync(join(folder, name, key)).toString('base64'),
      ]),
    ),
  }));
  return { apiVersion: 'v1', kind: 'List', items };
}
