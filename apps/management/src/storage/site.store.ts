import type { SiteResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { tableOf } from '@truetally/persistence';
import { listingOf, type Queryable, readPage } from '@truetally/resource';
import type { ClientBase, QueryResultRow } from 'pg';
import { type Chunk, endOf } from './chunk.js';
import { holdWorkspaces } from './workspace.store.js';

/** The partner's settings are columns of their own. */
interface SiteRecord extends Omit<SiteResource, 'partner'> {
  readonly partner_providers: SiteResource['partner']['providers'];
  readonly partner_touch_limit: number;
  readonly partner_attribution_model: SiteResource['partner']['attribution_model'];
  readonly partner_lookback_days: number | null;
}

const SITES = tableOf<SiteRecord>('sites', 'id', {
  id: ['site_id', 'uuid'],
  workspace_id: 'uuid',
  name: 'text',
  domain: 'text',
  allowed_origins: 'text[]',
  currency: 'text',
  timezone: 'text',
  publisher_mode: 'text',
  partner_providers: 'text[]',
  partner_touch_limit: 'integer',
  partner_attribution_model: 'text',
  partner_lookback_days: 'integer',
  runtime_hourly_limit: 'integer',
  version: 'integer',
  created_at: 'instant',
  updated_at: 'instant',
});
const CHANGING = SITES.without('workspace_id', 'created_at');
const SELECT = `select ${SITES.selection()} from sites`;

export async function insertSite(client: ClientBase, site: SiteResource): Promise<void> {
  await client.query(SITES.insert(recordOf(site)));
}

/** A site of this workspace; undefined for a deleted one, or another workspace's. */
export async function findSite(
  client: Queryable,
  workspaceId: string,
  siteId: string,
): Promise<SiteResource | undefined> {
  return firstSite(client, FIND, [workspaceId, siteId]);
}

/** The same, locked as it is until this transaction ends: resources are created only on existing sites. */
export async function holdSite(
  client: ClientBase,
  workspaceId: string,
  siteId: string,
): Promise<SiteResource | undefined> {
  return firstSite(client, HOLD, [workspaceId, siteId]);
}

/** For a change: concurrent changes and readers with a lock wait until this transaction ends. */
export async function lockSite(
  client: ClientBase,
  workspaceId: string,
  siteId: string,
): Promise<SiteResource | undefined> {
  return firstSite(client, LOCK, [workspaceId, siteId]);
}

const LIVE_SITE = `${SELECT} where workspace_id = $1 and site_id = $2 and deleted_at is null`;
/** Prepared once per connection: every operation on a site starts with one of them. */
const FIND = { name: 'site-find', text: LIVE_SITE };
const HOLD = { name: 'site-hold', text: `${LIVE_SITE} for share` };
const ASKED_FOR = {
  name: 'sites-asked-for',
  text: `select site_id from sites
    where workspace_id = $1 and deleted_at is null and ($2::uuid is null or site_id = $2)`,
};
const LOCK = { name: 'site-lock', text: `${LIVE_SITE} for no key update` };

/** Each recomputes the sums of a publisher's whole history. */
export const TIME_ZONE_CHANGES_A_DAY = 4;

/** Notes that a locked site moves to another time zone. @returns whether it may: it has not moved as often within a day */
export async function noteTimeZoneChange(client: ClientBase, siteId: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `update sites set timezone_changes = lately.changes || now()
     from (select array(select at from sites, unnest(timezone_changes) as at
       where site_id = $1 and at > now() - interval '1 day') as changes) as lately
     where site_id = $1 and cardinality(lately.changes) < ${TIME_ZONE_CHANGES_A_DAY}`,
    [siteId],
  );
  return rowCount === 1;
}

export async function storeSite(client: ClientBase, site: SiteResource): Promise<void> {
  await client.query(CHANGING.update(site.id, recordOf(site)));
}

/** From here on queries do not find the site; its row stays locked until the transaction ends. */
export async function markSiteDeleted(client: ClientBase, siteId: string): Promise<void> {
  await client.query('update sites set deleted_at = clock_timestamp() where site_id = $1', [siteId]);
}

export async function markSitesDeleted(client: ClientBase, workspaceId: string): Promise<void> {
  await client.query(
    'update sites set deleted_at = clock_timestamp() where workspace_id = $1 and deleted_at is null',
    [workspaceId],
  );
}

/** Those of these sites that exist, and are not deleted. */
export async function livingSites(
  client: ClientBase,
  siteIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ site_id: string }>(
    'select site_id from sites where site_id = any($1::uuid[]) and deleted_at is null',
    [siteIds],
  );
  return rows.map((row) => row.site_id);
}

/** Those of these sites that do not exist: deleted ones, and those that this database has never had. */
export async function withoutSite(
  client: ClientBase,
  siteIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ site_id: string }>(
    `select site_id from unnest($1::uuid[]) as known (site_id)
     where not exists (select from sites where sites.site_id = known.site_id and deleted_at is null)`,
    [siteIds],
  );
  return rows.map((row) => row.site_id);
}

/** A chunk of all deleted sites, in the order of their ids. */
export async function chunkOfDeletedSites(
  client: ClientBase,
  afterSiteId: string,
  limit: number,
): Promise<Chunk<string>> {
  const { rows } = await client.query<{ readonly site_id: string }>(
    'select site_id from sites where site_id > $1 and deleted_at is not null order by site_id limit $2',
    [afterSiteId, limit],
  );
  return { items: rows.map((row) => row.site_id), lastId: endOf(rows, limit)?.site_id };
}

/** Sites that may have data: existing ones, and those whose deletion is not finished. */
export async function sitesToErase(client: ClientBase, workspaceId: string): Promise<readonly string[]> {
  const { rows } = await client.query<{ site_id: string }>(
    `select site_id from sites where workspace_id = $1 and (deleted_at is null or exists (
       select from jobs where workspace_id = $1 and finished_at is null and params->'site_ids' ? site_id::text))
     order by site_id`,
    [workspaceId],
  );
  return rows.map((row) => row.site_id);
}

export function pageOfSites(client: Queryable, query: ResourceQuery) {
  return readPage(client, query, {
    ...listingOf(SITES),
    where: ['workspace_id = $1', 'deleted_at is null'],
    values: [query.workspace_id],
    toResource: toSite,
  });
}

/**
 * The sites of a list query: the one of `?site_id=`, or all existing ones of the workspace, which are few.
 * @returns undefined for an unknown site
 */
export async function sitesAskedFor(
  client: Queryable,
  { workspace_id: workspaceId, filters }: ResourceQuery,
): Promise<readonly string[] | undefined> {
  const { site_id: siteId } = filters;
  const values = [workspaceId, siteId ?? null];
  const { rows } = await client.query<{ site_id: string }>({ ...ASKED_FOR, values });
  if (siteId !== undefined && rows.length === 0) return undefined;
  return rows.map((row) => row.site_id);
}

/** All sites of one workspace, which are few; a suspension must publish them. */
export async function sitesOfWorkspace(
  client: ClientBase,
  workspaceId: string,
): Promise<readonly SiteResource[]> {
  const { rows } = await client.query(`${SELECT} where workspace_id = $1 and deleted_at is null`, [
    workspaceId,
  ]);
  return rows.map(toSite);
}

/**
 * Sites of all workspaces in the order of their ids, with their workspace's state, locked until the
 * transaction ends, so that their published state stays true until it is in the outbox. Workspaces are locked
 * before their sites, as in every command. One statement for both would lock row by row, a site before its
 * workspace, and could deadlock with a change of that site that waits behind a suspension.
 */
export async function holdSites(
  client: ClientBase,
  afterSiteId: string,
  limit: number,
): Promise<Chunk<{ readonly site: SiteResource; readonly isSuspended: boolean }>> {
  const chunk = await client.query<{ readonly site_id: string; readonly workspace_id: string }>(
    `select site_id, workspace_id from sites
     where site_id > $1 and deleted_at is null order by site_id limit $2`,
    [afterSiteId, limit],
  );
  const workspaces = await holdWorkspaces(
    client,
    chunk.rows.map((row) => row.workspace_id),
  );
  const { rows } = await client.query(
    `${SELECT}
     where site_id = any($1) and deleted_at is null order by site_id for share`,
    [chunk.rows.map((row) => row.site_id)],
  );
  const items = rows.map(toSite).flatMap((site) => {
    const workspace = workspaces.get(site.workspace_id);
    return workspace === undefined ? [] : [{ site, isSuspended: workspace.suspended }];
  });
  return { items, lastId: endOf(chunk.rows, limit)?.site_id };
}

async function firstSite(
  client: Queryable,
  statement: { readonly name: string; readonly text: string },
  values: readonly string[],
): Promise<SiteResource | undefined> {
  const { rows } = await client.query({ ...statement, values: [...values] });
  return rows.map(toSite)[0];
}

function recordOf({ partner, ...site }: SiteResource): SiteRecord {
  return {
    ...site,
    partner_providers: partner.providers,
    partner_touch_limit: partner.touch_limit,
    partner_attribution_model: partner.attribution_model,
    partner_lookback_days: partner.lookback_days,
  };
}

function toSite(row: QueryResultRow): SiteResource {
  const {
    partner_providers: providers,
    partner_touch_limit: touch_limit,
    partner_attribution_model: attribution_model,
    partner_lookback_days: lookback_days,
    ...site
  } = SITES.read(row);
  return { ...site, partner: { providers, touch_limit, attribution_model, lookback_days } };
}

/** Empties a deleted site's row, which stays with its ids and the time of its deletion, without any user data. */
export async function emptyDeletedSite(client: ClientBase, siteId: string): Promise<void> {
  await client.query(
    `update sites set name = '', domain = '', allowed_origins = '{}', partner_providers = '{}'
     where site_id = $1 and deleted_at is not null`,
    [siteId],
  );
}

/** Whether a site is one of the workspace, or was one until it was deleted. */
export async function isSiteOf(client: Queryable, workspaceId: string, siteId: string): Promise<boolean> {
  const { rowCount } = await client.query('select from sites where workspace_id = $1 and site_id = $2', [
    workspaceId,
    siteId,
  ]);
  return rowCount === 1;
}
