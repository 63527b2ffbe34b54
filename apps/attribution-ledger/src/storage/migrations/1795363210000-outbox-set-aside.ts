import { OUTBOX_SET_ASIDE_SQL } from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores facts that Kafka refuses. See docs/decisions/outbox.md. */
export class OutboxSetAside1795363210000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(OUTBOX_SET_ASIDE_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}
