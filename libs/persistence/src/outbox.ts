import type { ClientBase, Pool } from 'pg';
import { arrayLiteral } from './array-literal.js';
import { INCARNATIONS_TABLE_SQL } from './incarnations-table.js';

/** An outgoing fact: written in the transaction that made it true, published afterwards. */
export interface OutgoingFact {
  readonly topic: string;
  readonly key: string;
  /** Null is a tombstone on a compacted topic. */
  readonly value: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Facts that the broker refuses are kept until an operator replays or discards them, and erased with their site or
 * workspace. The log of what operators did with them can only be appended to by the service's role, and outlives
 * the fact. It names a fact by a digest of its key, which may contain an e-mail address or a session id. The digests of
 * one owner have a key of their own, which is erased with the owner: from then on nobody can try names.
 */
const SET_ASIDE_SQL = `
  create table outbox_set_aside (
    id bigint primary key,
    topic text not null,
    key text not null,
    value text,
    headers jsonb not null,
    reason text not null,
    is_state boolean not null,
    is_superseded boolean not null default false,
    set_aside_at timestamptz not null default now(),
    site_id uuid,
    workspace_id uuid
  );
  create table outbox_set_aside_actions (
    action_id uuid primary key default gen_random_uuid(),
    fact_id bigint not null,
    at timestamptz not null default now(),
    actor text not null,
    action text not null check (action in ('replay', 'discard')),
    action_request_id text,
    topic text not null,
    key_digest text,
    reason text not null
  );
  create table outbox_digest_keys (owner_id uuid primary key, digest_key bytea not null);
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, insert, update, delete on outbox_set_aside, outbox_digest_keys to %I', role);
    execute format('grant select, insert on outbox_set_aside_actions to %I', role);
  end $$`;

/**
 * For a service's first migration. The id defines the order; the service role needs SELECT, INSERT and
 * DELETE.
 */
export const OUTBOX_TABLE_SQL = `
  create table outbox (
    id bigint generated always as identity primary key,
    topic text not null,
    key text not null,
    value text,
    headers jsonb not null default '{}'
  );
  ${SET_ASIDE_SQL};
  ${INCARNATIONS_TABLE_SQL}`;

/** Prepared once per connection, like everything that each command runs. */
const LOCK = {
  name: 'outbox-lock',
  text: `select pg_advisory_xact_lock(hashtext(current_schema() || '.outbox'))`,
};
const APPEND = {
  name: 'outbox-append',
  text: `insert into outbox (topic, key, value, headers)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[])`,
};

/** Blocks other appenders until the transaction ends. */
export async function lockOutbox(client: ClientBase): Promise<void> {
  await client.query(LOCK);
}

/**
 * Appends facts to the outbox inside the caller's transaction. A transaction lock serialises the appenders of
 * a schema until they commit, so that ids are committed in order and the relay never skips one.
 */
export async function appendToOutbox(client: ClientBase, facts: readonly OutgoingFact[]): Promise<void> {
  if (facts.length === 0) return;
  const values = [
    arrayLiteral(facts.map((fact) => fact.topic)),
    arrayLiteral(facts.map((fact) => fact.key)),
    arrayLiteral(facts.map((fact) => fact.value)),
    arrayLiteral(facts.map((fact) => JSON.stringify(fact.headers ?? {}))),
  ];
  await Promise.all([client.query(LOCK), client.query({ ...APPEND, values })]);
}

/** The ids of the facts that wait in the outbox, the first and the one behind the last; both 0 where none waits. */
export interface OutboxSpan {
  readonly first: number;
  readonly end: number;
}

/** What waits in the outbox. A fact that was committed before, and is not in the span, is in Kafka or set aside. */
export async function outboxSpan(pool: Pick<Pool, 'query'>): Promise<OutboxSpan> {
  const { rows } = await pool.query<OutboxSpan>(
    'select coalesce(min(id), 0)::float8 as first, coalesce(max(id) + 1, 0)::float8 as end from outbox',
  );
  return rows[0] ?? { first: 0, end: 0 };
}
