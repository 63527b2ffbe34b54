import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ERASURE_WITHOUT_WAITING_SQL } from './erased-sites.js';

/**
 * For every service with data of sites: marking a site as erased blocks no other transaction
 * (docs/decisions/jobs.md).
 */
export class ErasureWithoutWaiting1795622400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const rows: unknown = await runner.query(
      `select quote_ident(current_schema()) as schema, quote_ident(current_setting('truetally.role')) as role`,
    );
    const { schema, role } = (rows as [{ schema: string; role: string }])[0];
    const sql = ERASURE_WITHOUT_WAITING_SQL.replaceAll('{schema}', schema).replaceAll('{role}', role);
    await runner.query(sql);
  }

  /** Migrations only go forward. */
  down(): Promise<void> {
    return Promise.reject(new Error('Marks are not made to wait again.'));
  }
}
