import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Settings are of an incarnation of management's database: a restore starts its versions over. */
export class SettingsIncarnation1796000010000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table site_settings add column incarnation bigint not null default 0');
  }

  /** Migrations only go forward. */
  down(): Promise<void> {
    return Promise.reject(new Error('An incarnation is never taken back.'));
  }
}
