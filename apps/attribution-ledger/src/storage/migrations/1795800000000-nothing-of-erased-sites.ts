import { guardErased } from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Late facts and requests add no rows of an erased site. See docs/decisions/jobs.md. */
export class NothingOfErasedSites1795800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await guardErased(runner, [
      { table: 'site_settings', on: 'insert' },
      { table: 'chain_heads', on: 'insert' },
      { table: 'commission_rules', on: 'insert' },
      { table: 'outbox_set_aside', on: 'insert' },
    ]);
  }

  /** Migrations only go forward. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}
