import { heldBytes } from '@truetally/contracts/facts';
import type { CampaignResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { tableOf } from '@truetally/persistence';
import { listingOf, type Queryable, readPageOfSites } from '@truetally/resource';
import type { ClientBase } from 'pg';

/** What every gateway holds of a campaign; no part of the resource. */
type StoredCampaign = CampaignResource & { readonly held_bytes: number };

const STORED = tableOf<StoredCampaign>('campaigns', 'id', {
  id: ['campaign_id', 'uuid'],
  workspace_id: 'uuid',
  site_id: 'uuid',
  type: 'text',
  name: 'text',
  status: 'text',
  schedule: 'json',
  targeting: 'json',
  content: 'json',
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
  held_bytes: 'integer',
});
const CAMPAIGNS = STORED.without('held_bytes');
const CHANGING = STORED.without('workspace_id', 'site_id', 'type', 'created_at');
const SELECT = `select ${CAMPAIGNS.selection()} from campaigns`;

/** Data of a deleted site counts as deleted, even before a job has erased it. */
const SITE_LIVES = `exists (
  select from sites where sites.site_id = campaigns.site_id and sites.deleted_at is null)`;

export async function insertCampaign(client: ClientBase, campaign: CampaignResource): Promise<void> {
  await client.query(STORED.insert({ ...campaign, held_bytes: heldBytes(campaign) }));
}

/** A campaign of this workspace; undefined for another workspace's, or when its site is deleted. */
export async function findCampaign(
  client: Queryable,
  workspaceId: string,
  campaignId: string,
): Promise<CampaignResource | undefined> {
  const { rows } = await client.query(
    `${SELECT} where workspace_id = $1 and campaign_id = $2 and ${SITE_LIVES}`,
    [workspaceId, campaignId],
  );
  return rows.map(CAMPAIGNS.read)[0];
}

/** Whether a site has this campaign, in whatever state. */
export async function hasCampaign(client: Queryable, siteId: string, campaignId: string): Promise<boolean> {
  const { rowCount } = await client.query('select from campaigns where site_id = $1 and campaign_id = $2', [
    siteId,
    campaignId,
  ]);
  return rowCount === 1;
}

/**
 * The same for a change: a concurrent change of the campaign, and a deletion of its site, wait until this
 * transaction ends. The site is locked first, as everywhere: the reverse order could deadlock.
 */
export async function lockCampaign(
  client: ClientBase,
  workspaceId: string,
  campaignId: string,
): Promise<CampaignResource | undefined> {
  const site = await client.query(
    `select from sites
     where workspace_id = $1 and deleted_at is null
       and site_id = (select site_id from campaigns where workspace_id = $1 and campaign_id = $2)
     for share`,
    [workspaceId, campaignId],
  );
  if (site.rowCount === 0) return undefined;
  const { rows } = await client.query(`${SELECT} where workspace_id = $1 and campaign_id = $2 for update`, [
    workspaceId,
    campaignId,
  ]);
  return rows.map(CAMPAIGNS.read)[0];
}

export async function storeCampaign(client: ClientBase, campaign: CampaignResource): Promise<void> {
  await client.query(CHANGING.update(campaign.id, { ...campaign, held_bytes: heldBytes(campaign) }));
}

/**
 * Number of the site's active campaigns, locked against activations until this transaction ends. It is a
 * separate lock and the last one taken, because every change of the site's data locks the site's row.
 */
export async function countActiveCampaigns(client: ClientBase, siteId: string): Promise<number> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' active campaigns ' || $1, 0))`,
    [siteId],
  );
  const { rows } = await client.query<{ readonly active: number }>(
    `select count(*)::integer as active from campaigns where site_id = $1 and status = 'active'`,
    [siteId],
  );
  return rows[0]?.active ?? 0;
}

export async function removeCampaign(client: ClientBase, campaignId: string): Promise<void> {
  await client.query(CAMPAIGNS.delete(campaignId));
}

/** A page of the campaigns of these existing sites. */
export function pageOfCampaigns(client: Queryable, query: ResourceQuery, siteIds: readonly string[]) {
  const filters = FILTERS.filter((name) => query.filters[name] !== undefined);
  return readPageOfSites(client, query, siteIds, {
    ...listingOf(CAMPAIGNS),
    where: [],
    values: [],
    narrowing: filters.map((column) => ({ column, value: query.filters[column] })),
  });
}

/** In the column order of the common index. */
const FILTERS = ['status', 'type'] as const;

/**
 * Campaigns of all sites in the order of their ids, locked until the transaction ends, so that their
 * published state stays true until it is in the outbox.
 */
export async function holdCampaigns(
  client: ClientBase,
  afterCampaignId: string,
  limit: number,
): Promise<readonly CampaignResource[]> {
  const { rows } = await client.query(
    `${SELECT}
     where campaign_id > $1 and ${SITE_LIVES} order by campaign_id limit $2 for share`,
    [afterCampaignId, limit],
  );
  return rows.map(CAMPAIGNS.read);
}

/** Which of these campaigns do not exist, or are on a deleted site. */
export async function withoutCampaign(
  client: ClientBase,
  campaignIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly campaign_id: string }>(
    `select campaign_id from unnest($1::uuid[]) as known (campaign_id)
     where not exists (select from campaigns where campaigns.campaign_id = known.campaign_id and ${SITE_LIVES})`,
    [campaignIds],
  );
  return rows.map((row) => row.campaign_id);
}

/** Deletes at most `limit` campaigns of a site. @returns their ids; fewer than `limit` when none is left */
export async function eraseCampaignsOfSite(
  client: ClientBase,
  siteId: string,
  limit: number,
): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly campaign_id: string }>(
    `delete from campaigns
     where campaign_id in (select campaign_id from campaigns where site_id = $1 limit $2 for update)
     returning campaign_id`,
    [siteId, limit],
  );
  return rows.map((row) => row.campaign_id);
}
