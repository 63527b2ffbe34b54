import { createHmac, randomBytes } from 'node:crypto';
import type { ClientBase, QueryResultRow } from 'pg';
import { lockOutbox, type OutgoingFact } from './outbox.js';
import { tableOf } from './table.js';

/** A fact that the broker will never accept: too large, or for a missing topic. */
export interface RefusedFact extends OutgoingFact {
  /** Its id in the outbox. */
  readonly id: string;
  /** The broker's error, never the fact's content. */
  readonly reason: string;
}

/** A fact that waits for an operator, without its value, which may be megabytes of private data. */
export interface SetAsideFact extends Omit<RefusedFact, 'headers' | 'value'> {
  /** Of its value; 0 for a tombstone. */
  readonly bytes: number;
  /** A newer state of its key has been published or set aside since: it must no longer be published. */
  readonly isSuperseded: boolean;
  readonly setAsideAt: Date;
}

/** Who handles a fact, and by which request. */
export interface SetAsideActor {
  readonly actor: string;
  readonly requestId: string | undefined;
}

/** `superseded`: it stays set aside, because a newer state of its key is published, queued or set aside. */
export type HandledSetAside =
  | { readonly kind: 'handled'; readonly fact: SetAsideFact }
  /** With the id of the newest state of its key, if that one is set aside and can be replayed. */
  | { readonly kind: 'superseded'; readonly newerId: string | undefined }
  | { readonly kind: 'unknown' };

/** The site and the workspace whose data a fact holds; both null for data of nobody. */
export interface SetAsideOwner {
  readonly siteId: string | null;
  readonly workspaceId: string | null;
}

/** Finds the owner of a row of the outbox. */
export type OwnerOf = (fact: OutgoingFact) => SetAsideOwner;

/** Stores refused facts, in the transaction that deletes them from the outbox. */
export async function setAside(
  client: ClientBase,
  facts: readonly RefusedFact[],
  { isState, ownerOf }: { readonly isState: (topic: string) => boolean; readonly ownerOf: OwnerOf },
): Promise<void> {
  const added = facts.map((fact) => ({
    ...fact,
    ...ownerOf(fact),
    headers: fact.headers ?? {},
    isState: isState(fact.topic),
  }));
  await client.query(SET_ASIDE.without('isSuperseded', 'setAsideMs').insertAll(added));
}

/** A row of the table. */
interface SetAsideRecord extends Required<RefusedFact>, SetAsideOwner {
  /** Of a compacted topic. */
  readonly isState: boolean;
  readonly isSuperseded: boolean;
  readonly setAsideMs: number;
}

const SET_ASIDE = tableOf<SetAsideRecord>('outbox_set_aside', 'id', {
  id: 'bigint',
  topic: 'text',
  key: 'text',
  value: 'text',
  headers: 'jsonb',
  reason: 'text',
  isState: ['is_state', 'boolean'],
  isSuperseded: ['is_superseded', 'boolean'],
  setAsideMs: ['set_aside_at', 'milliseconds'],
  siteId: ['site_id', 'uuid'],
  workspaceId: ['workspace_id', 'uuid'],
});

/** Without the value and headers, which may be megabytes. */
const LISTED = SET_ASIDE.without('value', 'headers', 'isState');
const LISTED_SELECTION = `${LISTED.selection()}, coalesce(octet_length(value), 0) as bytes`;

interface SetAsideAction {
  readonly factId: string;
  readonly actor: string;
  readonly action: 'replay' | 'discard';
  readonly requestId: string | null;
  readonly topic: string;
  readonly keyDigest: string;
  readonly reason: string;
}

const ACTIONS = tableOf<SetAsideAction>('outbox_set_aside_actions', 'factId', {
  factId: ['fact_id', 'bigint'],
  actor: 'text',
  action: 'text',
  requestId: ['action_request_id', 'text'],
  topic: 'text',
  keyDigest: ['key_digest', 'text'],
  reason: 'text',
});

/** Facts that wait for an operator, oldest first, after the given id (`'0'` for the first page). */
export async function listSetAside(
  client: Pick<ClientBase, 'query'>,
  afterId: string,
  limit: number,
): Promise<readonly SetAsideFact[]> {
  const { rows } = await client.query<Sized>(
    `select ${LISTED_SELECTION} from outbox_set_aside where id > $1 order by id limit $2`,
    [afterId, limit],
  );
  return rows.map(toFact);
}

/**
 * Moves a fact back to its place in the outbox, in the caller's transaction; wake the relay after its commit.
 * It keeps its id, so that it remains older than all facts that were appended after it. A state that a newer
 * one of its key has overtaken is not moved: readers would take it for the newest.
 */
export async function replaySetAside(
  client: ClientBase,
  id: string,
  by: SetAsideActor,
): Promise<HandledSetAside> {
  // From here on, no other transaction appends a newer state of the key.
  await lockOutbox(client);
  const { rows } = await client.query<Sized>(REPLAY, [id]);
  const [row] = rows;
  return row === undefined ? notReplayed(client, id) : handled(client, row, 'replay', by);
}

/** A state in the outbox was appended after those of its key that are set aside. */
const REPLAY = `with replayed as (
    delete from outbox_set_aside as aside
    where id = $1 and not (is_state and (is_superseded or exists (
      select from outbox where outbox.topic = aside.topic and outbox.key = aside.key)))
    returning *),
  queued as (
    insert into outbox (id, topic, key, value, headers) overriding system value
    select id, topic, key, value, headers from replayed)
  select ${LISTED_SELECTION} from replayed`;

async function notReplayed(client: ClientBase, id: string): Promise<HandledSetAside> {
  const { rows } = await client.query<{ newer: string | null }>(
    `select newer.id as newer from outbox_set_aside as aside left join outbox_set_aside as newer
       on newer.topic = aside.topic and newer.key = aside.key and newer.id > aside.id
         and not newer.is_superseded
     where aside.id = $1`,
    [id],
  );
  const [row] = rows;
  return row === undefined ? { kind: 'unknown' } : { kind: 'superseded', newerId: row.newer ?? undefined };
}

/** Discards a fact, in the caller's transaction. */
export async function discardSetAside(
  client: ClientBase,
  id: string,
  by: SetAsideActor,
): Promise<HandledSetAside> {
  const { rows } = await client.query<Sized>(
    `delete from outbox_set_aside where id = $1 returning ${LISTED_SELECTION}`,
    [id],
  );
  const [row] = rows;
  return row === undefined ? { kind: 'unknown' } : handled(client, row, 'discard', by);
}

async function handled(
  client: ClientBase,
  row: Sized,
  action: SetAsideAction['action'],
  by: SetAsideActor,
): Promise<HandledSetAside> {
  const fact = toFact(row);
  const { id: factId, topic, key, reason } = fact;
  const { actor, requestId = null } = by;
  const keyDigest = await digestOf(client, LISTED.read(row), key);
  await client.query(ACTIONS.insert({ factId, actor, action, requestId, topic, keyDigest, reason }));
  return { kind: 'handled', fact };
}

const DIGEST_KEY_BYTES = 32;
/** Digests of facts without an owner. */
const NOBODY = '00000000-0000-0000-0000-000000000000';
const FIND_DIGEST_KEY = `
  insert into outbox_digest_keys (owner_id, digest_key) values ($1, $2)
  on conflict (owner_id) do update set owner_id = excluded.owner_id returning digest_key`;

/** The same for equal keys of one owner, as long as the owner exists. */
async function digestOf(
  client: ClientBase,
  { siteId, workspaceId }: SetAsideOwner,
  key: string,
): Promise<string> {
  const values = [siteId ?? workspaceId ?? NOBODY, randomBytes(DIGEST_KEY_BYTES)];
  const { rows } = await client.query<{ digest_key: Buffer }>(FIND_DIGEST_KEY, values);
  const [found] = rows;
  if (found === undefined) throw new Error('A key of digests that was added is not there.');
  return createHmac('sha256', found.digest_key).update(key).digest('hex');
}

/**
 * Erases the set-aside facts of a deleted site or workspace, in the caller's transaction, and makes the digests of
 * their keys meaningless. Tombstones stay: they delete data on a topic.
 * @returns the number of facts
 */
export async function eraseSetAside(
  client: ClientBase,
  owner: 'site_id' | 'workspace_id',
  ownerId: string,
): Promise<number> {
  const erased = await client.query(
    `delete from outbox_set_aside where ${owner} = $1 and value is not null`,
    [ownerId],
  );
  await client.query('delete from outbox_digest_keys where owner_id = $1', [ownerId]);
  return erased.rowCount ?? 0;
}

/**
 * Erases the set-aside facts of a site that name any of these ids, in the caller's transaction.
 * @returns the number of facts
 */
export async function eraseSetAsideNaming(
  client: ClientBase,
  siteId: string,
  ids: readonly string[],
): Promise<number> {
  const { rowCount } = await client.query(
    `delete from outbox_set_aside where site_id = $1 and value is not null and exists (
       select from unnest($2::text[]) as named (id) where strpos(value, to_json(named.id)::text) > 0)`,
    [siteId, ids],
  );
  return rowCount ?? 0;
}

interface Sized extends QueryResultRow {
  readonly bytes: number;
}

function toFact(row: Sized): SetAsideFact {
  const { id, topic, key, reason, isSuperseded, setAsideMs } = LISTED.read(row);
  return { id, topic, key, reason, isSuperseded, bytes: row.bytes, setAsideAt: new Date(setAsideMs) };
}
