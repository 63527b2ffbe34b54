import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Indexes for lists of campaigns within a site, newest first, also with a selective filter. A deletion finds
 * a site's keys by the site alone.
 */
const INDEXES_SQL = `
  create index campaigns_by_status on campaigns (site_id, status desc, created_at desc, campaign_id desc);
  create index campaigns_by_type on campaigns (site_id, type desc, created_at desc, campaign_id desc);
  create index campaigns_by_status_and_type
    on campaigns (site_id, status desc, type desc, created_at desc, campaign_id desc);
  drop index campaigns_of_workspace;
  create index api_keys_by_site on api_keys (site_id)`;

export class CampaignLists1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(INDEXES_SQL);
  }

  /** Migrations only go forward: going back would lose what was written since. */
  async down(): Promise<void> {
    throw new Error('This migration cannot be undone.');
  }
}
