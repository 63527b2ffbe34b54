import type { ClientBase } from 'pg';
import { arrayLiteral } from './array-literal.js';

/** A fact on its way out: written in the transaction that made it true, published afterwards. */
export interface OutgoingFact {
  readonly topic: string;
  readonly key: string;
  /** Null is a tombstone on a compacted topic. */
  readonly value: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * What the broker refuses is kept here until somebody replays or discards it. A part of `OUTBOX_TABLE_SQL`, and for a
 * later migration of services whose outbox is older than it.
 */
export const OUTBOX_SET_ASIDE_SQL = `
  create table if not exists outbox_set_aside (
    id bigint primary key,
    topic text not null,
    key text not null,
    value text,
    headers jsonb not null,
    reason text not null,
    is_state boolean not null,
    is_superseded boolean not null default false,
    set_aside_at timestamptz not null default now()
  );
  do $$ begin execute format('grant select, insert, update, delete on outbox_set_aside to %I',
    current_setting('truetally.role')); end $$`;

/**
 * Who did what with a fact that was set aside: the service's role may only add to it, and it outlives the fact. A part of
 * `OUTBOX_TABLE_SQL`, and for a later migration of services whose outbox is older than it.
 */
export const SET_ASIDE_ACTIONS_SQL = `
  create table if not exists outbox_set_aside_actions (
    action_id uuid primary key default gen_random_uuid(),
    fact_id bigint not null,
    at timestamptz not null default now(),
    actor text not null,
    action text not null check (action in ('replay', 'discard')),
    action_request_id text,
    topic text not null,
    key text not null,
    reason text not null
  );
  do $$ begin execute format('grant select, insert on outbox_set_aside_actions to %I',
    current_setting('truetally.role')); end $$`;

/** For a service's first migration. The id gives the order; the service role needs SELECT, INSERT and DELETE on it. */
export const OUTBOX_TABLE_SQL = `
  create table outbox (
    id bigint generated always as identity primary key,
    topic text not null,
    key text not null,
    value text,
    headers jsonb not null default '{}'
  );
  ${OUTBOX_SET_ASIDE_SQL};
  ${SET_ASIDE_ACTIONS_SQL}`;

/** Prepared once per connection, as whatever every command runs. */
const LOCK = {
  name: 'outbox-lock',
  text: `select pg_advisory_xact_lock(hashtext(current_schema() || '.outbox'))`,
};
const APPEND = {
  name: 'outbox-append',
  text: `insert into outbox (topic, key, value, headers)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[])`,
};

/** Keeps others from appending until the transaction ends. */
export async function lockOutbox(client: ClientBase): Promise<void> {
  await client.query(LOCK);
}

/**
 * Appends facts to the outbox inside the caller's transaction. A transaction lock lets one appender of a schema
 * commit at a time, so that ids are committed in their order and the relay never passes over one.
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
