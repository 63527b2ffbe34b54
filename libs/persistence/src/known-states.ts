import { REMEMBERED_DAYS } from '@truetally/kernel';
import type { ClientBase } from 'pg';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a fact of a compacted topic tells about its key. */
export interface ToldState<T> {
  readonly key: string;
  /** Null for a tombstone. */
  readonly state: T | null;
}

/** States to store, by key, and keys whose state is deleted. */
export interface NewerStates<T> {
  readonly there: ReadonlyMap<string, T>;
  readonly gone: readonly string[];
}

/**
 * For a service that stores copies of other services' states: the newest version of each key that facts have told,
 * null after a tombstone.
 */
export class KnownStates1795850000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table known_states (
        topic text not null,
        key text not null,
        version integer,
        told_at timestamptz not null default now(),
        primary key (topic, key)
      ) with (fillfactor = 50);
      create index known_states_gone on known_states (told_at) where version is null;
      do $$ begin execute format('grant select, insert, update, delete on known_states to %I',
        current_setting('truetally.role')); end $$`);
  }

  /** Migrations only go forward. */
  down(): Promise<void> {
    return Promise.reject(new Error('What is known of deleted states is not forgotten.'));
  }
}

/** Of a key about which nothing was told; below every version. */
const NOTHING_TOLD = -1;
const MAX_FORGOTTEN = 1_000;

/**
 * Picks the facts that tell something newer than all that was told before, in any transaction, and remembers
 * them: facts may arrive repeatedly and in any order. The keys are locked until the caller's transaction ends.
 */
export async function newerStates<T extends { readonly version: number }>(
  client: ClientBase,
  topic: string,
  told: readonly ToldState<T>[],
): Promise<NewerStates<T>> {
  const known = await lockKnown(client, topic, [...new Set(told.map(({ key }) => key))].toSorted());
  const newer = new Map<string, T | null>();
  for (const { key, state } of told) {
    const version = state?.version ?? null;
    if (!replaces(version, known.get(key) ?? null)) continue;
    known.set(key, version);
    newer.set(key, state);
  }
  await remember(client, topic, newer);
  const gone = [...newer].flatMap(([key, state]) => (state === null ? [key] : []));
  if (gone.length > 0) await forgetGone(client);
  return {
    there: new Map([...newer].flatMap(([key, state]) => (state === null ? [] : [[key, state]]))),
    gone,
  };
}

/**
 * The only comparison of states: whether one with this version replaces what is known. Keys are never used again,
 * so that nothing replaces a tombstone (null).
 */
function replaces(told: number | null, known: number | null): boolean {
  return known !== null && (told === null || told >= known);
}

/** In the order of keys, which prevents deadlocks. */
async function lockKnown(
  client: ClientBase,
  topic: string,
  keys: readonly string[],
): Promise<Map<string, number | null>> {
  await client.query(
    `insert into known_states (topic, key, version) select $1, key, ${NOTHING_TOLD} from unnest($2::text[]) as key
     on conflict do nothing`,
    [topic, keys],
  );
  const { rows } = await client.query<{ key: string; version: number | null }>(
    'select key, version from known_states where topic = $1 and key = any($2::text[]) order by key for update',
    [topic, keys],
  );
  return new Map(rows.map(({ key, version }) => [key, version]));
}

async function remember(
  client: ClientBase,
  topic: string,
  newer: ReadonlyMap<string, { readonly version: number } | null>,
): Promise<void> {
  if (newer.size === 0) return;
  await client.query(
    `update known_states as known set version = told.version, told_at = now()
     from unnest($2::text[], $3::integer[]) as told (key, version)
     where known.topic = $1 and known.key = told.key`,
    [topic, [...newer.keys()], [...newer.values()].map((state) => state?.version ?? null)],
  );
}

/** Longer than an older fact can be redelivered. */
async function forgetGone(client: ClientBase): Promise<void> {
  await client.query(
    `delete from known_states where (topic, key) in (
       select topic, key from known_states
       where version is null and told_at < now() - interval '${REMEMBERED_DAYS} days'
       limit ${MAX_FORGOTTEN} for update skip locked)`,
  );
}
