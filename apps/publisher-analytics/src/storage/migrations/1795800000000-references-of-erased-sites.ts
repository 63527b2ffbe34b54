import { guardErased } from '@truetally/persistence';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Late clicks and pulls add no rows of an erased site. A rotation of keys does not reseal its references: an
 * update moves a row, and the erasure, which goes by the order of the disk, would miss it. See
 * docs/decisions/jobs.md.
 */
export class ReferencesOfErasedSites1795800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await guardErased(runner, [
      { table: 'click_references', on: 'update' },
      { table: 'site_calendars', on: 'insert' },
      { table: 'pull_states', on: 'insert' },
      { table: 'outbox_set_aside', on: 'insert' },
    ]);
  }

  /** Migrations only go forward. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}
