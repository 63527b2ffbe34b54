import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** The oldest are searched once a minute, among any number of recent ones. */
const INDEX_SQL = `create index jobs_finished_at on jobs (finished_at) where finished_at is not null`;

export class FinishedJobs1764200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(INDEX_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
