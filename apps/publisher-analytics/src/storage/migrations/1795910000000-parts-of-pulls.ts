import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many parts of answers were stored for an integration: one that was asked for earlier is not stored later. */
export class PartsOfPulls1795910000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table pull_states add column parts bigint not null default 0');
  }

  /** Migrations only go forward: going back would lose what was written since. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}
