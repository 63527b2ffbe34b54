import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clickMatchFields, clickSealContext } from '@truetally/contracts/attribution';
import { Keyring, newKeyring, readKeyringFile, writeKeyringFile } from '@truetally/keyring';
import {
  dropSchemas,
  ManagedProcess,
  NODE_BINARY,
  programEnvironment,
  REPOSITORY_ROOT,
  testStack,
  uniqueName,
  urlOfRole,
} from '@truetally/testing';
import pg from 'pg';

/** Tables of a ledger and of management with a separate keyring, and the tool as a process. */
export interface Clicks {
  readonly owner: pg.Client;
  /** Of management's tables. */
  readonly management: pg.Client;
  readonly keyringFile: string;
  /** Sealed with the current key of the file's ring, or of another ring. @returns ids of the touches' rows */
  add(count: number, ring?: Keyring): Promise<readonly string[]>;
  /** Every stored value, opened with this ring, by the touch's id; null if the ring cannot open it. */
  read(ring: Keyring): Promise<ReadonlyMap<string, string | null>>;
  start(parameters: readonly string[], changes?: NodeJS.ProcessEnv): Promise<ManagedProcess>;
  /** No value is left, and the keyring is a new one: tables are migrated once for many tests. */
  empty(): Promise<void>;
  close(): Promise<void>;
}

export const SITE_ID = '0b5e0000-0000-4000-8000-000000000001';
const PASSWORD = 'rotation';
const INSERT = `
  with t as (
    insert into touches (id, site_id, touch_id, fingerprint, provider, direction, occurred_at, provenance, click_hash,
      recorded_at, request_partition, request_offset, request_id)
    select id, $1, id::text, '', 'awin', 'inbound', now(), 'server', hash, now(), 0, 0, ''
    from unnest($2::uuid[], $3::text[]) as n (id, hash)
  )
  insert into click_values (touch_row_id, key_id, sealed)
  select id, $4, sealed from unnest($2::uuid[], $5::bytea[]) as n (id, sealed)`;

/** The click value of the touch with this id. */
export function valueOf(touchId: string): string {
  return `click of ${touchId}`;
}

export async function openClicks(): Promise<Clicks> {
  const { databaseUrl } = testStack();
  const schema = uniqueName('rotation');
  const role = `${schema}_role`;
  const folder = mkdtempSync(join(tmpdir(), 'truetally-rotation-'));
  const keyringFile = join(folder, 'keyring.json');
  const published = { schema: `${schema}_publisher`, role: `${schema}_publisher_role` };
  const managed = { schema: `${schema}_management`, role: `${schema}_management_role` };
  await Promise.all([
    migrateSchema('attribution-ledger', databaseUrl, { schema, role }),
    migrateSchema('management', databaseUrl, managed),
    migrateSchema('publisher-analytics', databaseUrl, published),
  ]);
  const [owner, management] = [schema, managed.schema].map(
    (path) => new pg.Client({ connectionString: databaseUrl, options: `-c search_path=${path}` }),
  ) as [pg.Client, pg.Client];
  await Promise.all([owner.connect(), management.connect()]);
  const environment = {
    ...programEnvironment(),
    DATABASE_URL: urlOfRole(databaseUrl, role, PASSWORD),
    DATABASE_SCHEMA: schema,
    MANAGEMENT_DATABASE_URL: urlOfRole(databaseUrl, managed.role, PASSWORD),
    MANAGEMENT_DATABASE_SCHEMA: managed.schema,
    PUBLISHER_DATABASE_URL: urlOfRole(databaseUrl, published.role, PASSWORD),
    PUBLISHER_DATABASE_SCHEMA: published.schema,
    KEYRING_FILE: keyringFile,
  };
  return {
    owner,
    management,
    keyringFile,
    add: (count, ring) => addClicks(owner, ring ?? new Keyring(readKeyringFile(keyringFile)), count),
    read: (ring) => readClicks(owner, ring),
    start: (parameters, changes) => startTool('keys-rotate', parameters, { ...environment, ...changes }),
    empty: async () => {
      // Touches can only be added: a superuser's replica role does not ask the triggers that say so.
      await owner.query('set session_replication_role = replica');
      await owner.query('truncate touches, click_values');
      await owner.query('set session_replication_role = origin');
      await management.query('truncate integrations');
      writeKeyringFile(keyringFile, newKeyring(Date.now()));
    },
    close: async () => {
      await Promise.all([owner.end(), management.end()]);
      await dropSchemas(databaseUrl, [{ schema, role }, managed, published]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** A command of `tools`, built. */
export function startTool(
  name: string,
  parameters: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<ManagedProcess> {
  return ManagedProcess.start({
    name,
    command: NODE_BINARY,
    args: [join(REPOSITORY_ROOT, 'tools', 'dist', `${name}.js`), ...parameters],
    env: environment,
    cwd: REPOSITORY_ROOT,
  });
}

async function migrateSchema(
  app: string,
  databaseUrl: string,
  { schema, role }: { readonly schema: string; readonly role: string },
): Promise<void> {
  const migration = await ManagedProcess.start({
    name: 'the migration',
    command: NODE_BINARY,
    args: [join(REPOSITORY_ROOT, 'apps', app, 'dist', 'migrate.js')],
    env: {
      ...programEnvironment(),
      DATABASE_URL: databaseUrl,
      DATABASE_SCHEMA: schema,
      DATABASE_ROLE: role,
      DATABASE_ROLE_PASSWORD: PASSWORD,
    },
  });
  const { code } = await migration.exited;
  if (code !== 0) throw new Error(migration.tail());
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
