import { compareRevisions, REMEMBERED_DAYS, type Revision } from '@truetally/kernel';
import type { ClientBase } from 'pg';

/** What a fact of a compacted topic tells about its key. */
export interface ToldState<T> {
  readonly key: string;
  /** Null for a tombstone. */
  readonly state: T | null;
  /** Of the owner's database (`Revision`). */
  readonly incarnation: number;
}

/** States to store, by key, and keys whose state is deleted. */
export interface NewerStates<T> {
  readonly there: ReadonlyMap<string, T>;
  readonly gone: readonly string[];
  /** Of each of these keys. */
  readonly incarnations: ReadonlyMap<string, number>;
}

/**
 * For the first migration of a service that stores copies of other services' states: the newest revision of each key
 * that facts have told; its version is null after a tombstone.
 */
export const KNOWN_STATES_TABLE_SQL = `
  create table known_states (
    topic text not null,
    key text not null,
    incarnation bigint not null,
    version integer,
    told_at timestamptz not null default now(),
    primary key (topic, key)
  ) with (fillfactor = 50);
  create index known_states_gone on known_states (told_at) where version is null;
  do $$ begin execute format('grant select, insert, update, delete on known_states to %I',
    current_setting('truetally.role')); end $$`;

/** The version of a key about which nothing was told; below every other. */
const NOTHING_TOLD = -1;
/** In comparisons. */
const TOMBSTONE_VERSION = Number.MAX_SAFE_INTEGER;
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
  const newer = new Map<string, ToldState<T>>();
  for (const one of told) {
    const revision = { incarnation: one.incarnation, version: one.state?.version ?? null };
    const before = known.get(one.key);
    if (before !== undefined && !replaces(revision, before)) continue;
    known.set(one.key, revision);
    newer.set(one.key, one);
  }
  await remember(client, topic, [...newer.values()]);
  const gone = [...newer].flatMap(([key, { state }]) => (state === null ? [key] : []));
  if (gone.length > 0) await forgetGone(client);
  return {
    there: new Map([...newer].flatMap(([key, { state }]) => (state === null ? [] : [[key, state]]))),
    gone,
    incarnations: new Map([...newer].map(([key, { incarnation }]) => [key, incarnation])),
  };
}

/** A revision whose version is null for a tombstone. */
interface ToldRevision {
  readonly incarnation: number;
  readonly version: number | null;
}

/**
 * The only comparison of states: whether one of this revision replaces what is known. Keys are never used again,
 * so that nothing of the same incarnation replaces a tombstone.
 */
function replaces(told: ToldRevision, known: ToldRevision): boolean {
  const order = compareRevisions(comparable(told), comparable(known));
  return order > 0 || (order === 0 && known.version !== null);
}

function comparable({ incarnation, version }: ToldRevision): Revision {
  return { incarnation, version: version ?? TOMBSTONE_VERSION };
}

/** In the order of keys, which prevents deadlocks. */
async function lockKnown(
  client: ClientBase,
  topic: string,
  keys: readonly string[],
): Promise<Map<string, ToldRevision>> {
  await client.query(
    `insert into known_states (topic, key, incarnation, version) select $1, key, 0, ${NOTHING_TOLD} from unnest($2::text[]) as key
     on conflict do nothing`,
    [topic, keys],
  );
  const { rows } = await client.query<{ key: string; incarnation: string; version: number | null }>(
    `select key, incarnation, version from known_states where topic = $1 and key = any($2::text[])
     order by key for update`,
    [topic, keys],
  );
  return new Map(
    rows.map(({ key, incarnation, version }) => [key, { incarnation: Number(incarnation), version }]),
  );
}

async function remember(
  client: ClientBase,
  topic: string,
  newer: readonly ToldState<{ readonly version: number }>[],
): Promise<void> {
  if (newer.length === 0) return;
  await client.query(
    `update known_states as known set incarnation = told.incarnation, version = told.version, told_at = now()
     from unnest($2::text[], $3::bigint[], $4::integer[]) as told (key, incarnation, version)
     where known.topic = $1 and known.key = told.key`,
    [
      topic,
      newer.map(({ key }) => key),
      newer.map(({ incarnation }) => incarnation),
      newer.map(({ state }) => state?.version ?? null),
    ],
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
