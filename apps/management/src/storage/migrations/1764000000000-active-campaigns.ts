import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Active campaigns are counted at each activation, beside any number of archived ones. */
const INDEX_SQL = `
  create index if not exists active_campaigns_of_site on campaigns (site_id) where status = 'active'`;

export class ActiveCampaigns1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(INDEX_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
