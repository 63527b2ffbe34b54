import { SET_ASIDE_ACTIONS_SQL } from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who replayed or discarded a fact that Kafka refused (docs/decisions/outbox.md). */
export class SetAsideActions1764640000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(SET_ASIDE_ACTIONS_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}
