import { OUTBOX_SET_ASIDE_SQL } from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Stores facts that Kafka refuses (docs/decisions/outbox.md). */
export class OutboxSetAside1764510000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(OUTBOX_SET_ASIDE_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
