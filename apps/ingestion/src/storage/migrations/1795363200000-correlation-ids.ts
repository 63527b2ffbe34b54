import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A request is identified by its correlation id, which both copies of a repeated produce share. Older rows
 * have none, and are identified by their position; the previous version still writes such rows while it
 * serves.
 */
const SQL = `
  alter table events add column if not exists correlation_id text;
  alter table handled_requests add column if not exists correlation_id text;
  create unique index if not exists handled_requests_correlation_id on handled_requests (correlation_id)`;

export class CorrelationIds1795363200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SQL);
  }

  /** Migrations only go forward: without the column counters would be wrong again. */
  down(): Promise<void> {
    return Promise.reject(new Error('What names a request is never forgotten by a migration.'));
  }
}
