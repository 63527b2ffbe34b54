import type { ResourceCommand } from '@truetally/contracts/resource';
import { fingerprint } from '@truetally/kernel';
import { deleteOlder } from '@truetally/persistence';
import type { ClientBase } from 'pg';

/**
 * For a service's first migration; the service role needs SELECT, INSERT, UPDATE and DELETE. Replies are
 * found by a hash of their scope, so that a client's key costs 32 bytes whatever its length.
 */
export const IDEMPOTENT_REPLIES_TABLE_SQL = `
  create table idempotent_replies (
    scope bytea primary key check (octet_length(scope) = 32),
    fingerprint bytea not null check (octet_length(fingerprint) = 32),
    data json not null,
    created_at timestamptz not null default now()
  );
  create index idempotent_replies_created_at on idempotent_replies (created_at)`;

/** Retention of an `Idempotency-Key` (interface page, section 1). */
const KEEP = '24 hours';

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

/** The state of a request with an `Idempotency-Key`. */
export type Claim =
  | { readonly kind: 'new' }
  | { readonly kind: 'replay'; readonly data: unknown }
  /** The key was used for another request, or its first request is in progress. */
  | { readonly kind: 'other-request' | 'under-way' };

type Claimed = Pick<ResourceCommand, 'actor' | 'idempotency' | 'workspace_id'>;

/**
 * Claims the key until the transaction ends. A concurrent duplicate does not wait, because the first one is
 * known only after a commit; its client gets an error instead. Another delivery of the same command is not a
 * duplicate: it waits for the one in progress.
 */
export async function claimKey(client: ClientBase, command: Claimed, correlationId: string): Promise<Claim> {
  const { idempotency } = command;
  if (idempotency === null) return { kind: 'new' };
  const values = [scopeOf(command)];
  const [, lock, { rows }] = await Promise.all([
    client.query({ ...ALONE, values: [correlationId] }),
    client.query<{ held: boolean }>({ ...CLAIM, values }),
    client.query<{ fingerprint: Buffer; data: unknown }>({ ...FIND, values }),
  ]);
  if (lock.rows[0]?.held !== true) return { kind: 'under-way' };
  const [known] = rows;
  if (known === undefined) return { kind: 'new' };
  return known.fingerprint.equals(Buffer.from(idempotency.fingerprint, 'hex'))
    ? { kind: 'replay', data: known.data }
    : { kind: 'other-request' };
}

/** Stores the answer of an executed command; refusals are not stored. */
export async function keepReply(client: ClientBase, command: Claimed, data: unknown): Promise<void> {
  const { idempotency } = command;
  if (idempotency === null) return;
  await client.query(
    `insert into idempotent_replies (scope, fingerprint, data) values ($1, $2, $3)
     on conflict (scope) do update
       set fingerprint = excluded.fingerprint, data = excluded.data, created_at = excluded.created_at`,
    [scopeOf(command), Buffer.from(idempotency.fingerprint, 'hex'), JSON.stringify(data)],
  );
}

/**
 * Deletes a bounded number of expired replies.
 * @returns whether there may be more
 */
export function forgetIdempotentReplies(client: Pick<ClientBase, 'query'>): Promise<boolean> {
  return deleteOlder(client, { table: 'idempotent_replies', key: 'scope', time: 'created_at', keep: KEEP });
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
