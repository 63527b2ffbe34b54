/**
 * The incarnations of a schema's data: a new one begins when the database was restored to an earlier point
 * (docs/operations/restore.md). A part of `OUTBOX_TABLE_SQL`; for the first migration of a service without an outbox that
 * stores what it reads from Kafka.
 */
export const INCARNATIONS_TABLE_SQL = `
  create table incarnations (
    incarnation bigint primary key,
    database text not null,
    restored_to timestamptz,
    first_incarnation bigint,
    begun_at timestamptz not null default now(),
    published_at timestamptz,
    rewound_at timestamptz
  );
  do $$ begin execute format('grant select, insert, update on incarnations to %I',
    current_setting('truetally.role')); end $$`;

/**
 * The incarnation of facts in the outbox, as a header; none in a schema where none has begun. Everything in the
 * outbox is of this database, also what it had at the point to which it was restored.
 */
export const INCARNATION_HEADER_SQL = `coalesce((
  select jsonb_build_object('incarnation', max(incarnation)::text) from incarnations
  having max(incarnation) is not null), '{}')`;
