import type { CampaignRecord, SiteRecord } from '@truetally/contracts/facts';
import type { AwaitedVersions } from '@truetally/contracts/resource';
import type { Queryable } from '@truetally/resource';
import type { ClientBase } from 'pg';

/** Stores the newest facts of sites: the first list are current ones, the second deleted ones. */
export async function keepSites(
  client: ClientBase,
  sites: readonly SiteRecord[],
  gone: readonly string[],
): Promise<void> {
  await client.query('delete from sites where site_id = any($1::uuid[])', [gone]);
  await client.query(
    `insert into sites (site_id, workspace_id, currency, version)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[])
     on conflict (site_id) do update set workspace_id = excluded.workspace_id, currency = excluded.currency,
       version = excluded.version`,
    [
      sites.map(({ site_id }) => site_id),
      sites.map(({ workspace_id }) => workspace_id),
      sites.map(({ currency }) => currency),
      sites.map(({ version }) => version),
    ],
  );
}

/** The same of campaigns. */
export async function keepCampaigns(
  client: ClientBase,
  campaigns: readonly CampaignRecord[],
  gone: readonly string[],
): Promise<void> {
  await client.query('delete from campaigns where campaign_id = any($1::uuid[])', [gone]);
  await client.query(
    `insert into campaigns (campaign_id, site_id, type, version)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::integer[])
     on conflict (campaign_id) do update set site_id = excluded.site_id, type = excluded.type,
       version = excluded.version`,
    [
      campaigns.map(({ campaign_id }) => campaign_id),
      campaigns.map(({ site_id }) => site_id),
      campaigns.map(({ type }) => type),
      campaigns.map(({ version }) => version),
    ],
  );
}

export interface KnownSite {
  readonly siteId: string;
  /** ISO 4217. */
  readonly currency: string;
}

/** A site of this workspace; undefined for another workspace's, or a deleted one. */
export async function findSite(
  client: Pick<Queryable, 'query'>,
  workspaceId: string,
  siteId: string,
): Promise<KnownSite | undefined> {
  const { rows } = await client.query<{ site_id: string; currency: string }>(
    'select site_id, currency from sites where site_id = $1 and workspace_id = $2',
    [siteId, workspaceId],
  );
  return rows.map((row) => ({ siteId: row.site_id, currency: row.currency }))[0];
}

/** The sites of a list query: all of the workspace, or the filter's; undefined for an unknown one. */
export async function sitesAskedFor(
  client: Pick<Queryable, 'query'>,
  workspaceId: string,
  siteId: string | undefined,
): Promise<readonly string[] | undefined> {
  if (siteId !== undefined) {
    const site = await findSite(client, workspaceId, siteId);
    return site === undefined ? undefined : [site.siteId];
  }
  const { rows } = await client.query<{ site_id: string }>(
    'select site_id from sites where workspace_id = $1',
    [workspaceId],
  );
  return rows.map((row) => row.site_id);
}

/** Positions of ids that are not campaigns of this site and surface. */
export async function strangersAmong(
  client: Pick<Queryable, 'query'>,
  siteId: string,
  surface: string,
  campaignIds: readonly string[],
): Promise<readonly number[]> {
  const { rows } = await client.query<{ campaign_id: string }>(
    'select campaign_id from campaigns where campaign_id = any($1::uuid[]) and site_id = $2 and type = $3',
    [campaignIds, siteId, surface],
  );
  const known = new Set(rows.map((row) => row.campaign_id));
  return campaignIds.flatMap((id, place) => (known.has(id) ? [] : [place]));
}

/** The number of these campaigns that are known together with their site. */
export async function countKnownCampaigns(
  client: Pick<Queryable, 'query'>,
  campaignIds: readonly string[],
): Promise<number> {
  const { rows } = await client.query<{ known: number }>(
    `select count(*)::integer as known from campaigns join sites using (site_id)
     where campaign_id = any($1::uuid[])`,
    [campaignIds],
  );
  return rows[0]?.known ?? 0;
}

/** Whether the copies are at least as new as these versions; null: deleted. */
export async function knowsVersions(
  client: Pick<Queryable, 'query'>,
  { sites, campaigns }: AwaitedVersions,
): Promise<boolean> {
  const { rows } = await client.query<{ is_known: boolean }>(
    `select ${IS_KNOWN('sites', 'site_id', '$1', '$2')} and ${IS_KNOWN('campaigns', 'campaign_id', '$3', '$4')}
       as is_known`,
    [Object.keys(sites), Object.values(sites), Object.keys(campaigns), Object.values(campaigns)],
  );
  return rows[0]?.is_known ?? false;
}

/** A deleted one has no row, so that its version counts as null. */
const IS_KNOWN = (table: string, key: string, ids: string, versions: string): string => `not exists (
  select from unnest(${ids}::uuid[], ${versions}::integer[]) as asked (id, version)
  left join ${table} known on known.${key} = asked.id
  where (asked.version is null and known.${key} is not null) or coalesce(known.version, -1) < asked.version)`;
