import { runSql } from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The keys of a person's sessions are replaced: see docs/decisions/erasing-people.md. */
const GRANTS = `
  grant update (session_key, user_key) on events to {role};
  grant update (session_key) on touches, session_quarters, basket_products to {role}`;

export class ErasePeople1796110000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runSql(runner, [GRANTS]);
  }

  /** Migrations only go forward: what was erased does not come back. */
  down(): Promise<void> {
    return Promise.reject(new Error('An erasure cannot be undone.'));
  }
}
