import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clickMatchFields, clickSealContext } from '@truetally/contracts/attribution';
import type { ServiceName } from '@truetally/contracts/services';
import { Keyring, newKeyring, readKeyringFile, writeKeyringFile } from '@truetally/keyring';
import {
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
  testStack,
} from '@truetally/testing';
import {
  type Installation,
  migrateProduct,
  newInstallation,
  schemaOf,
  serviceEnvironment,
} from '@truetally/testing-product';
import pg from 'pg';
import { runRotation } from '../keys/run-rotation.js';
import { type Told, toldBy } from './told-by.js';

/** Tables of a ledger and of management with a separate keyring, and the tool. */
export interface Clicks {
  readonly owner: pg.Client;
  /** Of management's tables. */
  readonly management: pg.Client;
  readonly keyringFile: string;
  /** Sealed with the current key of the file's ring, or of another ring. @returns ids of the touches' rows */
  add(count: number, ring?: Keyring): Promise<readonly string[]>;
  /** Every stored value, opened with this ring, by the touch's id; null if the ring cannot open it. */
  read(ring: Keyring): Promise<ReadonlyMap<string, string | null>>;
  /** Runs the tool's function. */
  rotate(parameters: readonly string[], changes?: NodeJS.ProcessEnv): Promise<Told>;
  /** Starts the tool as a process, for a test that kills it or reads everything that a process writes. */
  start(parameters: readonly string[]): Promise<ManagedProcess>;
  /** No value is left, and the keyring is a new one: tables are migrated once for many tests. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export const SITE_ID = '0b5e0000-0000-4000-8000-000000000001';
/** Whose values are sealed. */
const SEALING: readonly ServiceName[] = ['attribution-ledger', 'management', 'publisher-analytics'];
const INSERT = `
  with t as (
    insert into touches (id, site_id, touch_id, fingerprint, provider, direction, occurred_at, provenance, click_hash,
      recorded_at, request_id, correlation_id)
    select id, $1, id::text, '', 'awin', 'inbound', now(), 'server', hash, now(), '', ''
    from unnest($2::uuid[], $3::text[]) as n (id, hash)
  )
  insert into click_values (touch_row_id, key_id, sealed)
  select id, $4, sealed from unnest($2::uuid[], $5::bytea[]) as n (id, sealed)`;

/** Those that hold the lock of this schema's rotation. */
export const ROTATION_BACKENDS = `
  with held as (select hashtextextended('keys:rotate ' || current_schema(), 0) as key)
  select from pg_locks, held where locktype = 'advisory' and granted
    and classid::bigint = (key >> 32) & 4294967295 and objid::bigint = key & 4294967295`;

/** The click value of the touch with this id. */
export function valueOf(touchId: string): string {
  return `click of ${touchId}`;
}

export async function openClicks(): Promise<Clicks> {
  const installation = await newInstallation(testStack());
  const { databaseUrl, keyringFile } = installation;
  await migrateProduct(installation, { services: SEALING });
  const [owner, management] = (['attribution-ledger', 'management'] as const).map((service) => {
    const options = `-c search_path=${schemaOf(installation, service)}`;
    return new pg.Client({ connectionString: databaseUrl, options });
  }) as [pg.Client, pg.Client];
  await Promise.all([owner.connect(), management.connect()]);
  const environment = rotationEnvironment(installation);
  return {
    owner,
    management,
    keyringFile,
    add: (count, ring) => addClicks(owner, ring ?? new Keyring(readKeyringFile(keyringFile)), count),
    read: (ring) => readClicks(owner, ring),
    rotate: (parameters, changes) => toldBy(() => runRotation(parameters, { ...environment, ...changes })),
    start: (parameters) => startRotation(parameters, installation),
    empty: async () => {
      // Touches can only be added: a superuser's replica role does not ask the triggers that say so.
      await owner.query('set session_replication_role = replica');
      await owner.query('truncate touches, click_values');
      await owner.query('set session_replication_role = origin');
      await management.query('truncate integrations, workflows, outbox, outbox_set_aside');
      writeKeyringFile(keyringFile, newKeyring(Date.now()));
    },
    close: async () => {
      await Promise.all([owner.end(), management.end()]);
      rmSync(dirname(keyringFile), { recursive: true });
    },
  };
}

/** The tool as a process, built. */
export function startRotation(
  parameters: readonly string[],
  installation: Installation,
): Promise<ManagedProcess> {
  return ManagedProcess.start({
    name: 'keys-rotate',
    command: NODE_BINARY,
    args: [join(REPOSITORY_ROOT, 'tools', 'dist', 'keys-rotate.js'), ...parameters],
    env: { ...programEnvironment(), ...rotationEnvironment(installation) },
    cwd: REPOSITORY_ROOT,
  });
}

function rotationEnvironment(installation: Installation): NodeJS.ProcessEnv {
  const ledger = serviceEnvironment(installation, 'attribution-ledger');
  const management = serviceEnvironment(installation, 'management');
  const publisher = serviceEnvironment(installation, 'publisher-analytics');
  return {
    DATABASE_URL: ledger['DATABASE_URL'],
    DATABASE_SCHEMA: ledger['DATABASE_SCHEMA'],
    MANAGEMENT_DATABASE_URL: management['DATABASE_URL'],
    MANAGEMENT_DATABASE_SCHEMA: management['DATABASE_SCHEMA'],
    PUBLISHER_DATABASE_URL: publisher['DATABASE_URL'],
    PUBLISHER_DATABASE_SCHEMA: publisher['DATABASE_SCHEMA'],
    KEYRING_FILE: installation.keyringFile,
  };
}

/** A ring with nothing but the current key. */
export function currentAlone({ keyringFile }: Pick<Clicks, 'keyringFile'>): Keyring {
  const { current, keys, matching_key } = readKeyringFile(keyringFile);
  return new Keyring({ current, keys: { [current]: String(keys[current]) }, matching_key });
}

/** Every former key has sealed nothing for so long. */
export function backdateKeys({ keyringFile }: Pick<Clicks, 'keyringFile'>, ms: number): void {
  const content = readKeyringFile(keyringFile);
  const at = new Date(Date.now() - ms).toISOString();
  const superseded = Object.fromEntries(Object.keys(content.superseded ?? {}).map((id) => [id, at]));
  writeKeyringFile(keyringFile, { ...content, superseded });
}

async function addClicks(owner: pg.Client, ring: Keyring, count: number): Promise<readonly string[]> {
  const ids = Array.from({ length: count }, () => randomUUID());
  const sealed = ids.map((id) => ring.seal(valueOf(id), clickSealContext(SITE_ID, id)).sealed);
  const hashes = ids.map((id) => ring.match(clickMatchFields(SITE_ID, valueOf(id))));
  await owner.query(INSERT, [SITE_ID, ids, hashes, ring.currentKeyId, sealed]);
  return ids;
}

async function readClicks(owner: pg.Client, ring: Keyring): Promise<ReadonlyMap<string, string | null>> {
  const { rows } = await owner.query<{ touch_row_id: string; key_id: string; sealed: Buffer }>(
    'select touch_row_id, key_id, sealed from click_values',
  );
  return new Map(
    rows.map(({ touch_row_id: id, key_id: keyId, sealed }) => {
      const opened = ring.open({ keyId, sealed }, clickSealContext(SITE_ID, id));
      return [id, opened.ok ? opened.value : null] as const;
    }),
  );
}
