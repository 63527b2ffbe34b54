import {
  ERASED_SITES_SQL,
  guardErased,
  INBOX_TABLE_SQL,
  OUTBOX_TABLE_SQL,
  runSql,
} from '@truetally/persistence';
import { IDEMPOTENT_REPLIES_TABLE_SQL } from '@truetally/resource/idempotent-replies';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Deliveries of webhooks and their attempts. See docs/decisions/workflows.md. */
export class CreateOutbound1795200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runSql(runner, [OUTBOX_TABLE_SQL, INBOX_TABLE_SQL, IDEMPOTENT_REPLIES_TABLE_SQL, ERASED_SITES_SQL]);
    await runSql(runner, [QUEUES, FACTS, DELIVERIES, ATTEMPTS, PARKED_FACTS, NEXT_DUE, GRANTS]);
    await guardErased(runner, [
      { table: 'queues', on: 'insert' },
      { table: 'facts', on: 'insert' },
      { table: 'deliveries', on: 'insert' },
      { table: 'attempts', on: 'insert' },
      { table: 'parked_facts', on: 'insert' },
    ]);
  }

  /** Migrations only go forward: lost deliveries could not be restored. */
  down(): Promise<void> {
    return Promise.reject(new Error('Deliveries are never dropped by a migration.'));
  }
}

/**
 * One row per workflow, locked by every transaction that adds, takes or ends deliveries of it: what it says of them is exact.
 * `next_due_at` is the earliest time at which one of them may be sent; null when none may.
 */
const QUEUES = `
  create table queues (
    workflow_id uuid primary key,
    workspace_id uuid not null,
    site_id uuid not null,
    incarnation bigint not null,
    version integer not null,
    is_enabled boolean not null,
    next_due_at timestamptz,
    failing_since timestamptz,
    failed_at timestamptz,
    last_delivered_at timestamptz(3),
    told_at timestamptz,
    has_news boolean not null default false,
    is_deleted boolean not null default false
  ) with (fillfactor = 70);
  create index queues_next_due_at on queues (next_due_at) where next_due_at is not null;
  create index queues_of_site on queues (site_id);
  create index queues_with_news on queues (told_at) where has_news;
  create index queues_deleted on queues (workflow_id) where is_deleted`;

/** What is delivered of a fact, once for all its workflows: as long as one of its deliveries. */
const FACTS = `
  create table facts (
    site_id uuid not null,
    fact_key text not null,
    body text not null,
    primary key (site_id, fact_key)
  )`;

/**
 * `lane`, in the order of sending: 0 tests, which are sent while the workflow is disabled, too; 1 new facts; 2 replays.
 * Of each subject the facts are in order, and so are the replays.
 * `next_attempt_at`: from when anybody may take it; null when it has ended, or waits for an earlier one of its subject. What
 * is under way has the end of its lease there, and its `claim`.
 */
const DELIVERIES = `
  create table deliveries (
    delivery_id uuid primary key,
    sequence bigint generated always as identity,
    workflow_id uuid not null,
    site_id uuid not null,
    fact_key text not null,
    subject text not null,
    event_type text not null,
    event_id text,
    record_id text,
    order_id text,
    is_test boolean not null,
    lane smallint not null check (lane in (0, 1, 2)),
    status text not null check (status in ('pending', 'delivered', 'dead')),
    tries smallint not null default 0,
    attempt_count integer not null default 0,
    is_replay boolean not null default false,
    next_attempt_at timestamptz(3),
    deadline_at timestamptz not null,
    claim uuid,
    claimed_until timestamptz,
    created_at timestamptz(3) not null default now(),
    check (status = 'pending' or next_attempt_at is null),
    foreign key (site_id, fact_key) references facts
  ) with (fillfactor = 70);
  create unique index deliveries_of_fact on deliveries (fact_key, workflow_id);
  create index deliveries_due on deliveries (workflow_id, lane, next_attempt_at, sequence)
    where next_attempt_at is not null;
  create index deliveries_of_subject on deliveries (workflow_id, subject, lane, sequence)
    where status = 'pending';
  create index deliveries_listed on deliveries (workflow_id, created_at, delivery_id);
  create index deliveries_by_status on deliveries (workflow_id, status, created_at, delivery_id);
  create index deliveries_of_event on deliveries (event_id, workflow_id, created_at, delivery_id)
    where event_id is not null;
  create index deliveries_of_record on deliveries (workflow_id, record_id, created_at, delivery_id)
    where record_id is not null;
  create index deliveries_of_order on deliveries (workflow_id, order_id, created_at, delivery_id)
    where order_id is not null;
  create index deliveries_overdue on deliveries (deadline_at) where status = 'pending';
  create index deliveries_untried on deliveries (workflow_id) where lane = 2 and tries = 0 and status = 'pending';
  create index deliveries_of_site on deliveries (site_id, subject);
  create index deliveries_created_at on deliveries (created_at)`;

const ATTEMPTS = `
  create table attempts (
    delivery_id uuid not null references deliveries on delete cascade,
    number integer not null,
    site_id uuid not null,
    at timestamptz(3) not null,
    status integer,
    latency_ms integer not null,
    error text,
    response text,
    is_replay boolean not null,
    primary key (delivery_id, number)
  );
  create index attempts_of_site on attempts (site_id)`;

/** Facts that are matched later, in line of their workspace, as they were told, and the workflows that they may trigger. */
const PARKED_FACTS = `
  create table parked_facts (
    workspace_id uuid not null,
    sequence bigint generated always as identity,
    site_id uuid not null,
    subject text not null,
    topic text not null,
    value text not null,
    workflow_ids uuid[] not null,
    versions integer[] not null,
    cost integer not null,
    parked_at timestamptz not null default now(),
    primary key (workspace_id, sequence)
  );
  create index parked_facts_of_site on parked_facts (site_id, subject);
  create index parked_facts_parked_at on parked_facts (parked_at)`;

/** The earliest time at which a delivery of a workflow may be sent: one probe of the index for each lane. */
const NEXT_DUE = `
  create function next_due(workflow uuid, enabled boolean) returns timestamptz
  language sql stable set search_path = {schema}, pg_temp as $$
    select least(
      (select next_attempt_at from deliveries where workflow_id = workflow and lane = 0
        and next_attempt_at is not null order by next_attempt_at limit 1),
      case when enabled then (select next_attempt_at from deliveries where workflow_id = workflow and lane = 1
        and next_attempt_at is not null order by next_attempt_at limit 1) end,
      case when enabled then (select next_attempt_at from deliveries where workflow_id = workflow and lane = 2
        and next_attempt_at is not null order by next_attempt_at limit 1) end)
  $$`;

const GRANTS = `
  revoke execute on function next_due(uuid, boolean) from public;
  grant execute on function next_due(uuid, boolean) to {role};
  grant select, insert, update, delete on queues, facts, deliveries, attempts, parked_facts, idempotent_replies to {role};
  grant select, insert, delete on outbox, inbox to {role}`;
