import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Position and description of each dead letter. Its bytes stay on their topic
 * (docs/decisions/dead-letters.md).
 */
const TABLE_SQL = `
  create table if not exists dead_letters (
    dead_letter_id uuid primary key,
    at timestamptz(3) not null,
    topic text not null,
    consumer_group text not null,
    reason text not null,
    attempts integer not null,
    request_id text,
    written_at timestamptz(3) not null,
    letter_partition integer not null,
    letter_offset bigint not null,
    state text not null default 'waiting' check (state in ('waiting', 'replayed', 'discarded')),
    handled_at timestamptz(3),
    handled_by text,
    check ((state = 'waiting') = (handled_at is null) and (state = 'waiting') = (handled_by is null))
  )`;

/** Log of actions, kept after the dead letter is deleted. */
const ACTIONS_SQL = `
  create table if not exists dead_letter_actions (
    action_id uuid primary key,
    dead_letter_id uuid not null,
    at timestamptz(3) not null,
    actor text not null,
    action text not null check (action in ('replay', 'forced-replay', 'discard')),
    action_request_id text,
    topic text not null,
    reason text not null,
    request_id text
  )`;

/**
 * Indexes for lists, newest first: by state, and within it by topic or request. The last one finds expired
 * ones.
 */
const INDEXES_SQL = `
  create index if not exists dead_letters_by_state on dead_letters (state, at desc, dead_letter_id desc);
  create index if not exists dead_letters_by_topic on dead_letters (state, topic desc, at desc, dead_letter_id desc);
  create index if not exists dead_letters_by_request
    on dead_letters (state, request_id desc, at desc, dead_letter_id desc);
  create index if not exists dead_letters_by_age on dead_letters (at)`;

const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, insert, update, delete on dead_letters to %I', role);
    execute format('grant select, insert on dead_letter_actions to %I', role);
  end $$`;

export class DeadLetters1764500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(TABLE_SQL);
    await runner.query(ACTIONS_SQL);
    await runner.query(INDEXES_SQL);
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
