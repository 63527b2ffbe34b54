import type { AttributionModel, PublisherMode } from '@truetally/contracts/facts';
import type { SiteResource } from '@truetally/contracts/management';
import type { ResourceQuery } from '@truetally/contracts/resource';
import { type Queryable, readPage } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { type Chunk, endOf } from './chunk.js';
import { holdWorkspaces } from './workspace.store.js';

interface SiteRow {
  readonly site_id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly domain: string;
  readonly allowed_origins: readonly string[];
  readonly currency: string;
  readonly timezone: string;
  readonly publisher_mode: PublisherMode;
  readonly partner_providers: readonly string[];
  readonly partner_touch_limit: number;
  readonly partner_attribution_model: AttributionModel;
  readonly partner_lookback_days: number | null;
  readonly runtime_hourly_limit: number;
  readonly version: number;
  readonly created_at: Date;
  readonly updated_at: Date;
}

const COLUMNS = `site_id, workspace_id, name, domain, allowed_origins, currency, timezone, publisher_mode,
  partner_providers, partner_touch_limit, partner_attribution_model, partner_lookback_days, runtime_hourly_limit,
  version, created_at, updated_at`;

export async function insertSite(client: ClientBase, site: SiteResource): Promise<void> {
  await client.query(
    `insert into sites (${COLUMNS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [site.id, site.workspace_id, ...settingsOf(site), site.version, site.created_at, site.updated_at],
  );
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

const LIVE_SITE = `select ${COLUMNS} from sites where workspace_id = $1 and site_id = $2 and deleted_at is null`;
/** Prepared once per connection: every operation on a site starts with one of them. */
const FIND = { name: 'site-find', text: LIVE_SITE };
const HOLD = { name: 'site-hold', text: `${LIVE_SITE} for share` };
const ASKED_FOR = {
  name: 'sites-asked-for',
  text: `select site_id from sites
    where workspace_id = $1 and deleted_at is null and ($2::uuid is null or site_id = $2)`,
};
const LOCK = { name: 'site-lock', text: `${LIVE_SITE} for no key update` };

export async function storeSite(client: ClientBase, site: SiteResource): Promise<void> {
  await client.query(
    `update sites set name = $2, domain = $3, allowed_origins = $4, currency = $5, timezone = $6,
       publisher_mode = $7, partner_providers = $8, partner_touch_limit = $9,
       partner_attribution_model = $10, partner_lookback_days = $11, runtime_hourly_limit = $12,
       version = $13, updated_at = $14
     where site_id = $1`,
    [site.id, ...settingsOf(site), site.version, site.updated_at],
  );
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

/** The deleted ones of these sites: their rows stay for ever. */
export async function deletedSites(
  client: ClientBase,
  siteIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ site_id: string }>(
    'select site_id from sites where site_id = any($1) and deleted_at is not null',
    [siteIds],
  );
  return rows.map((row) => row.site_id);
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
  return readPage<SiteRow, SiteResource>(client, query, {
    columns: COLUMNS,
    from: 'sites',
    idColumn: 'site_id',
    createdColumn: 'created_at',
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
  const { rows } = await client.query<SiteRow>(
    `select ${COLUMNS} from sites where workspace_id = $1 and deleted_at is null`,
    [workspaceId],
  );
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
  const { rows } = await client.query<SiteRow>(
    `select ${COLUMNS} from sites
     where site_id = any($1) and deleted_at is null order by site_id for share`,
    [chunk.rows.map((row) => row.site_id)],
  );
  const items = rows.flatMap((row) => {
    const workspace = workspaces.get(row.workspace_id);
    return workspace === undefined ? [] : [{ site: toSite(row), isSuspended: workspace.suspended }];
  });
  return { items, lastId: endOf(chunk.rows, limit)?.site_id };
}

function settingsOf(site: SiteResource): readonly unknown[] {
  return [
    site.name,
    site.domain,
    site.allowed_origins,
    site.currency,
    site.timezone,
    site.publisher_mode,
    site.partner.providers,
    site.partner.touch_limit,
    site.partner.attribution_model,
    site.partner.lookback_days,
    site.runtime_hourly_limit,
  ];
}

async function firstSite(
  client: Queryable,
  statement: { readonly name: string; readonly text: string },
  values: readonly string[],
): Promise<SiteResource | undefined> {
  const { rows } = await client.query<SiteRow>({ ...statement, values: [...values] });
  return rows.map(toSite)[0];
}

function toSite(row: SiteRow): SiteResource {
  return {
    id: row.site_id,
    workspace_id: row.workspace_id,
    name: row.name,
    domain: row.domain,
    allowed_origins: row.allowed_origins,
    currency: row.currency,
    timezone: row.timezone,
    publisher_mode: row.publisher_mode,
    partner: {
      providers: row.partner_providers,
      touch_limit: row.partner_touch_limit,
      attribution_model: row.partner_attribution_model,
      lookback_days: row.partner_lookback_days,
    },
    runtime_hourly_limit: row.runtime_hourly_limit,
    version: row.version,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** Empties a deleted site's row, which stays with its ids and the time of its deletion, without any user data. */
export async function emptyDeletedSite(client: ClientBase, siteId: string): Promise<void> {
  await client.query(
    `update sites set name = '', domain = '', allowed_origins = '{}', partner_providers = '{}'
     where site_id = $1 and deleted_at is not null`,
    [siteId],
  );
}
