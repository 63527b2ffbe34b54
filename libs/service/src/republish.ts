import { type Revision, compareRevisions } from '@truetally/kernel';
import { appendToOutbox, inTransaction, type OutboxRelay, type OutgoingFact } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';

/** The content of a compacted topic according to its owner's tables. */
export interface StateSource {
  readonly topic: string;
  /** Rows locked in one transaction: few enough to block a change of one of them only briefly. */
  readonly rowsPerChunk: number;
  /** Whether a deleted key may exist again, as that of a person who returns. */
  readonly reusesKeys: boolean;
  /** The states of rows after an id, which are locked until the transaction ends. */
  readonly read: (
    client: ClientBase,
    afterId: string | undefined,
    limit: number,
  ) => Promise<{ readonly items: readonly OutgoingFact[]; readonly lastId: string | undefined }>;
  /** Tombstones of those keys that have no row. */
  readonly tombstones: (client: ClientBase, keys: readonly string[]) => Promise<readonly OutgoingFact[]>;
}

/** The newest record of a key on its topic. */
export interface PublishedState extends Revision {
  readonly isGone: boolean;
}

/** What the topics contain, by source and key. */
export type PublishedStates<Name extends string> = Readonly<
  Record<Name, ReadonlyMap<string, PublishedState>>
>;

export interface Republishing<Name extends string> {
  readonly pool: Pool;
  readonly relay: Pick<OutboxRelay, 'wake'>;
  readonly sources: Readonly<Record<Name, StateSource>>;
  readonly published: PublishedStates<Name>;
  /** Of the database. */
  readonly incarnation: number;
  /** Whether to publish also what the topics already contain. */
  readonly everything: boolean;
}

export interface Republished<Name extends string> {
  /** The number of facts. */
  readonly facts: Readonly<Record<Name, number>>;
  /** A topic is ahead of a table: the database was restored to an earlier point. */
  readonly isAhead: boolean;
}

/** Keys whose rows are looked up in one transaction. */
const KEYS_PER_CHUNK = 1_000;

/**
 * Publishes what the topics lack from the tables, and tombstones of keys without a row: a lost Kafka is filled
 * again, and neither an old copy of Kafka nor a restored database leaves access open. It uses the outbox, which
 * orders it with concurrent changes; a direct publish could put an older state of a key after its revocation.
 */
export async function republish<Name extends string>(
  republishing: Republishing<Name>,
): Promise<Republished<Name>> {
  const { sources, published } = republishing;
  const facts = {} as Record<Name, number>;
  let isAhead = false;
  for (const name of Object.keys(sources) as Name[]) {
    const rows = await publishRows(republishing, sources[name], published[name]);
    isAhead ||= rows.isAhead;
    facts[name] = rows.count + (await takeBack(republishing, sources[name], published[name]));
  }
  return { facts, isAhead };
}

async function publishRows(
  { pool, relay, incarnation, everything }: Omit<Republishing<string>, 'published' | 'sources'>,
  { read, rowsPerChunk, reusesKeys }: StateSource,
  published: ReadonlyMap<string, PublishedState>,
): Promise<{ readonly count: number; readonly isAhead: boolean }> {
  let count = 0;
  let isAhead = false;
  let afterId: string | undefined;
  do {
    afterId = await inTransaction(pool, async (client) => {
      const { items, lastId } = await read(client, afterId, rowsPerChunk);
      const missing = items.filter((fact) => {
        const known = published.get(fact.key);
        if (known === undefined) return true;
        isAhead ||= known.isGone
          ? !reusesKeys && known.incarnation >= incarnation
          : compareRevisions(known, { incarnation, version: versionOf(fact.value) }) > 0;
        return everything || known.isGone;
      });
      await appendToOutbox(client, missing);
      count += missing.length;
      return lastId;
    });
    relay.wake();
  } while (afterId !== undefined);
  return { count, isAhead };
}

async function takeBack(
  { pool, relay }: Pick<Republishing<string>, 'pool' | 'relay'>,
  { tombstones }: StateSource,
  published: ReadonlyMap<string, PublishedState>,
): Promise<number> {
  const keys = [...published].flatMap(([key, { isGone }]) => (isGone ? [] : [key]));
  let count = 0;
  for (let from = 0; from < keys.length; from += KEYS_PER_CHUNK) {
    count += await inTransaction(pool, async (client) => {
      const facts = await tombstones(client, keys.slice(from, from + KEYS_PER_CHUNK));
      await appendToOutbox(client, facts);
      return facts.length;
    });
    relay.wake();
  }
  return count;
}

/** The version in a state's value; 0 for a tombstone and for one that names none. */
export function versionOf(value: string | null): number {
  const state: unknown = value === null ? null : JSON.parse(value);
  const version = typeof state === 'object' && state !== null && 'version' in state ? state.version : 0;
  return typeof version === 'number' ? version : 0;
}
