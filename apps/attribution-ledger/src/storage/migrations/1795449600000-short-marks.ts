import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How long the mark of an erasure waits is its caller's to say: a second for each try, in which every site's commands
 * wait behind it, was too long. See docs/decisions/jobs.md.
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
