import { setTimeout as delay } from 'node:timers/promises';
import { NO_WORKSPACE } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { fingerprint } from '@truetally/kernel';
import { deleteOlder } from '@truetally/persistence';
import type { ClientBase } from 'pg';

/**
 * For a service's first migration; the service role needs SELECT, INSERT, UPDATE and DELETE on the first one. Replies are
 * found by a hash of their scope, so that a client's key costs 32 bytes whatever its length. What they take is summed by hour, so that
 * nobody counts them one by one.
 */
export const IDEMPOTENT_REPLIES_TABLE_SQL = `
  create table idempotent_replies (
    scope bytea primary key check (octet_length(scope) = 32),
    fingerprint bytea not null check (octet_length(fingerprint) = 32),
    data json not null,
    created_at timestamptz not null default now()
  );
  create index idempotent_replies_created_at on idempotent_replies (created_at);

  create table idempotent_reply_bytes (
    holder bytea not null check (octet_length(holder) = 32),
    hour timestamptz not null,
    bytes bigint not null,
    primary key (holder, hour)
  );
  create index idempotent_reply_bytes_hour on idempotent_reply_bytes (hour);
  grant select, insert, update, delete on idempotent_reply_bytes to {role}`;

/** Retention of an `Idempotency-Key` (interface page, section 1). */
const KEEP = '24 hours';
/** An hour counts until the last of its replies is gone. */
const KEEP_BYTES = '25 hours';

/**
 * What the kept answers of a workspace, and those of its visitors, may each take in a service. Beyond it a request with a new key is refused before it does anything:
 * answers that were promised for 24 hours are kept, and none is lost for a newer one.
 */
export const KEPT_REPLY_BYTES = 256 * 1024 * 1024;
/** Of a reply besides its text: its row, its place in two indexes. */
const ROW_BYTES = 200;

/**
 * Prepared once per connection. Each sees what was committed before the previous holder released its lock.
 */
const ALONE = {
  name: 'idempotent-reply-alone',
  text: `select pg_advisory_xact_lock(hashtextextended(current_schema() || 'command' || $1, 0))`,
};
const CLAIM = {
  name: 'idempotent-reply-claim',
  text: `select pg_try_advisory_xact_lock(hashtextextended(current_schema() || encode($1, 'hex'), 0)) as held`,
};
const FIND = {
  name: 'idempotent-reply-find',
  text: `select fingerprint, data from idempotent_replies
    where scope = $1 and created_at > now() - interval '${KEEP}'`,
};

const USED = {
  name: 'idempotent-reply-bytes',
  text: `select coalesce(sum(bytes), 0)::float8 as bytes from idempotent_reply_bytes
    where holder = $1 and hour > now() - interval '${KEEP_BYTES}'`,
};

const CLAIM_TRIES = 3;
const CLAIM_PAUSE_MS = 10;

interface KeptReply {
  readonly fingerprint: Buffer;
  readonly data: unknown;
}

/** The state of a request with an `Idempotency-Key`. */
export type Claim =
  | { readonly kind: 'new' }
  | { readonly kind: 'replay'; readonly data: unknown }
  /** The key was used for another request, or its first request is in progress. */
  | { readonly kind: 'other-request' | 'under-way' }
  /** The answer could not be kept. */
  | { readonly kind: 'full' };

type Claimed = Pick<ResourceCommand, 'actor' | 'idempotency' | 'workspace_id'>;

/**
 * Claims the key until the transaction ends. A concurrent duplicate does not wait, because the first one is
 * known only after a commit; its client gets an error instead. Another delivery of the same command is not a
 * duplicate: it waits for the one in progress.
 */
export async function claimKey(client: ClientBase, command: Claimed, correlationId: string): Promise<Claim> {
  const { idempotency } = command;
  if (idempotency === null) return { kind: 'new' };
  const scope = scopeOf(command);
  const [, first, used] = await Promise.all([
    client.query({ ...ALONE, values: [correlationId] }),
    lockAndFind(client, scope),
    client.query<{ bytes: number }>({ ...USED, values: [holderOf(command)] }),
  ]);
  let found = first;
  // A transaction that ends gives its locks back one after the other: the one in progress may still have the key's.
  for (let tries = 0; found === 'under-way' && tries < CLAIM_TRIES; tries += 1) {
    await delay(CLAIM_PAUSE_MS);
    found = await lockAndFind(client, scope);
  }
  if (found === 'under-way') return { kind: 'under-way' };
  const [known] = found;
  if (known === undefined) return { kind: (used.rows[0]?.bytes ?? 0) < KEPT_REPLY_BYTES ? 'new' : 'full' };
  return known.fingerprint.equals(Buffer.from(idempotency.fingerprint, 'hex'))
    ? { kind: 'replay', data: known.data }
    : { kind: 'other-request' };
}

async function lockAndFind(client: ClientBase, scope: Buffer): Promise<readonly KeptReply[] | 'under-way'> {
  const values = [scope];
  const [lock, { rows }] = await Promise.all([
    client.query<{ held: boolean }>({ ...CLAIM, values }),
    client.query<KeptReply>({ ...FIND, values }),
  ]);
  return lock.rows[0]?.held === true ? rows : 'under-way';
}

/** Stores the answer of an executed command; refusals are not stored. */
export async function keepReply(client: ClientBase, command: Claimed, data: unknown): Promise<void> {
  const { idempotency } = command;
  if (idempotency === null) return;
  const text = JSON.stringify(data);
  const bytes = Buffer.byteLength(text) + ROW_BYTES;
  await client.query(
    `with kept as (
       insert into idempotent_replies (scope, fingerprint, data) values ($1, $2, $3)
       on conflict (scope) do update
         set fingerprint = excluded.fingerprint, data = excluded.data, created_at = excluded.created_at
     )
     insert into idempotent_reply_bytes as known (holder, hour, bytes) values ($4, date_trunc('hour', now()), $5)
     on conflict (holder, hour) do update set bytes = known.bytes + excluded.bytes`,
    [scopeOf(command), Buffer.from(idempotency.fingerprint, 'hex'), text, holderOf(command), bytes],
  );
}

/**
 * Deletes a bounded number of expired replies.
 * @returns whether there may be more
 */
export function forgetIdempotentReplies(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  return deleteOlder(client, { table: 'idempotent_replies', key: 'scope', time: 'created_at', keep: KEEP });
}

/** The same for what they took. */
export function forgetReplyBytes(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  return deleteOlder(client, {
    table: 'idempotent_reply_bytes',
    key: 'ctid',
    time: 'hour',
    keep: KEEP_BYTES,
  });
}

/** Whose replies they are: a workspace's, or its visitors', who must not use up what is its own; before there is one, a user's. */
function holderOf({ workspace_id, actor }: Claimed): Buffer {
  if (workspace_id === NO_WORKSPACE) return fingerprint([workspace_id, actor?.sub ?? null]);
  const isVisitor = actor !== null && actor.sub === null && actor.key_id === null;
  return fingerprint([workspace_id, isVisitor ? 'visitors' : null]);
}

/** Hash of workspace, user, route and key (interface page, section 1). */
function scopeOf({ workspace_id, actor, idempotency }: Claimed): Buffer {
  return fingerprint([
    workspace_id,
    actor?.sub ?? null,
    actor?.key_id ?? null,
    idempotency?.route ?? null,
    idempotency?.key ?? null,
  ]);
}
