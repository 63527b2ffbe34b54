import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The incarnations of a schema's data: a new one begins when the database was restored to an earlier point. A
 * part of `OUTBOX_TABLE_SQL`, and of a later migration for services with an older outbox.
 */
export const INCARNATIONS_SQL = `
  create table if not exists incarnations (
    incarnation bigint primary key,
    database text not null,
    restored_to timestamptz,
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

/**
 * For every service that stores what it reads from Kafka: it notices a restore, and facts of its outbox name the incarnation
 * (docs/operations/restore.md).
 */
export class Incarnations1796000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(INCARNATIONS_SQL);
  }

  /** Migrations only go forward. */
  down(): Promise<void> {
    return Promise.reject(new Error('An incarnation is never taken back.'));
  }
}
