import { ERASED_PEOPLE_SQL, INBOX_TABLE_SQL, OUTBOX_TABLE_SQL, runSql } from '@truetally/persistence';
import { IDEMPOTENT_REPLIES_TABLE_SQL } from '@truetally/resource/idempotent-replies';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import {
  CAMPAIGNS_SQL,
  CONTENT_GRANTS_SQL,
  FEEDS_SQL,
  INTEGRATIONS_SQL,
  MEDIA_SQL,
  PRODUCTS_SQL,
} from './tables/content.js';
import {
  DEAD_LETTERS_SQL,
  ERASURE_SQL,
  JOBS_SQL,
  OPERATIONS_GRANTS_SQL,
  SKIP_DELETED_SQL,
} from './tables/operations.js';
import {
  IMPORTS_SQL,
  PEOPLE_ERASURES_SQL,
  PEOPLE_GRANTS_SQL,
  PROFILES_SQL,
  SUBMISSIONS_SQL,
} from './tables/people.js';
import { HELD_RECORDS_SQL } from './tables/held-records.js';
import { WORKFLOWS_SQL } from './tables/workflows.js';
import { WORKSPACE_GRANTS_SQL, WORKSPACES_SQL } from './tables/workspaces.js';

/** Workspaces with what they own, and the jobs and dead letters of the product. See docs/decisions/management.md. */
export class CreateManagement1763600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runSql(runner, [OUTBOX_TABLE_SQL, INBOX_TABLE_SQL, IDEMPOTENT_REPLIES_TABLE_SQL]);
    await runSql(runner, [WORKSPACES_SQL, CAMPAIGNS_SQL, MEDIA_SQL, PRODUCTS_SQL, INTEGRATIONS_SQL]);
    await runSql(runner, [FEEDS_SQL, WORKFLOWS_SQL, HELD_RECORDS_SQL]);
    await runSql(runner, [
      SUBMISSIONS_SQL,
      PROFILES_SQL,
      IMPORTS_SQL,
      ERASED_PEOPLE_SQL,
      PEOPLE_ERASURES_SQL,
    ]);
    await runSql(runner, [JOBS_SQL, DEAD_LETTERS_SQL, ERASURE_SQL, SKIP_DELETED_SQL]);
    await runSql(runner, [
      WORKSPACE_GRANTS_SQL,
      CONTENT_GRANTS_SQL,
      OPERATIONS_GRANTS_SQL,
      PEOPLE_GRANTS_SQL,
    ]);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  down(): Promise<void> {
    return Promise.reject(new Error('This migration cannot be undone.'));
  }
}
