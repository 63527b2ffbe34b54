import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The caller sets the lock timeout of an erasure's mark: a second per try, during which the commands of every
 * site wait, was too long. See docs/decisions/jobs.md.
 */
export class ShortMarks1795449600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter function mark_erased(uuid) reset lock_timeout');
  }

  /** Migrations only go forward. */
  down(): Promise<void> {
    return Promise.reject(new Error('Marks are not made to wait longer again.'));
  }
}
