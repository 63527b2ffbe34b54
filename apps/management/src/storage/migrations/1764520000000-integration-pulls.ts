import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** When an integration is due, how its last pull ended, and which worker messages were accepted. */
const PULLS_SQL = `
  alter table integrations
    add column last_error text,
    add column next_pull_at timestamptz not null default clock_timestamp();
  create index integrations_next_pull_at on integrations (next_pull_at);

  create table worker_messages (
    message_id text primary key,
    received_at timestamptz not null default clock_timestamp()
  );
  create index worker_messages_received_at on worker_messages (received_at)`;

const GRANTS_SQL = `
  do $$
  declare role text := current_setting('truetally.role');
  begin
    execute format('grant select, insert, delete on worker_messages to %I', role);
  end $$`;

export class IntegrationPulls1764520000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(PULLS_SQL);
    await runner.query(GRANTS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
