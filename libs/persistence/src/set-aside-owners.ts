import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SET_ASIDE_OWNERS_SQL } from './outbox.js';

/** For every service with an outbox: set-aside facts are erased with their owner (docs/decisions/jobs.md). */
export class SetAsideOwners1795790000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SET_ASIDE_OWNERS_SQL);
  }

  /** Migrations only go forward: keys that were deleted do not come back. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}
