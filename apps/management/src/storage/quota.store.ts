import { HELD_CAMPAIGNS_BYTES } from '@truetally/contracts/facts';
import { DEFAULT_QUOTAS, type Quota, quotasOf } from '@truetally/contracts/management';
import type { ClientBase } from 'pg';
import { type Held, heldSql, type RecordQuota } from './held-records.store.js';

/** Limits per hour that tenants choose themselves, up to these. */
type ChosenLimit = 'api_key_hourly_limit' | 'site_hourly_limit';
/** What is counted now and then (`storage/often-made.store.ts`). */
export type OftenMade = 'audit_entries' | 'jobs' | 'products' | 'profiles' | 'submissions';
type CountedQuota = Exclude<Quota, ChosenLimit | OftenMade>;

/** What is counted: per site or per workspace. Amounts are bytes or rows. */
const USED = {
  workspaces: 'select count(*) as used from workspaces where created_by = $1 and deleted_at is null',
  sites: 'select count(*) as used from sites where workspace_id = $1 and deleted_at is null',
  members: 'select count(*) as used from members where workspace_id = $1',
  api_keys: `select count(*) as used from api_keys
    where site_id = $1 and revoked_at is null and (expires_at is null or expires_at > clock_timestamp())`,
  retained_keys: `select count(*) as used from api_keys where site_id = $1
    and coalesce(least(revoked_at, expires_at), 'infinity') > clock_timestamp() - interval '1 day'`,
  campaigns: `select count(*) as used from sites join campaigns using (site_id)
    where sites.workspace_id = $1 and sites.deleted_at is null`,
  active_content_bytes: `select coalesce(sum(octet_length(content::text)), 0) as used from campaigns
    where site_id = $1 and status = 'active'`,
  media: 'select count(*) as used from media where workspace_id = $1',
  media_bytes: 'select coalesce(sum(bytes), 0) as used from media where workspace_id = $1',
  integrations: `select count(*) as used from sites join integrations using (site_id)
    where sites.workspace_id = $1 and sites.deleted_at is null`,
} as const satisfies Readonly<Record<CountedQuota | 'retained_keys' | 'workspaces', string>>;

/**
 * The used amount, locked against additions until this transaction ends. It is a separate lock, and
 * workspaces' locks come before sites'. Rows are locked before these locks, and none after them.
 * @param ownerId the workspace, site or user
 */
export async function used(client: ClientBase, what: keyof typeof USED, ownerId: string): Promise<number> {
  await client.query(`select pg_advisory_xact_lock(hashtextextended(current_schema() || $1, 0))`, [
    ` quota ${what} ${ownerId}`,
  ]);
  const { rows } = await client.query<{ readonly used: string }>(USED[what], [ownerId]);
  return Number(rows[0]?.used ?? 0);
}

/** A workspace's quota. */
export async function quotaOf(client: ClientBase, what: Quota, workspaceId: string): Promise<number> {
  const { rows } = await client.query<{ readonly quotas: object }>(
    'select quotas from workspaces where workspace_id = $1',
    [workspaceId],
  );
  return quotaAmong(rows[0]?.quotas, what);
}

/** @param quotas what the operator has said of a workspace; none for one that does not exist */
export function quotaAmong(quotas: object | null | undefined, what: Quota): number {
  return quotasOf(quotas)[what] ?? DEFAULT_QUOTAS[what];
}

/** A quota that a change would exceed. */
export interface Exceeded {
  readonly quota: Quota | 'retained_keys' | 'workspaces' | HeldQuota | RecordQuota;
  readonly most: number;
}

/**
 * Whether a workspace, or one of its sites, would exceed a quota by an addition.
 * @param siteId for quotas per site
 * @returns undefined when it fits
 */
export async function exceeds(
  client: ClientBase,
  what: CountedQuota,
  { workspaceId, siteId, more = 1 }: { workspaceId: string; siteId?: string; more?: number },
): Promise<Exceeded | undefined> {
  const most = await quotaOf(client, what, workspaceId);
  const there = await used(client, what, siteId ?? workspaceId);
  return there + more > most ? { quota: what, most } : undefined;
}

/** Whether a tenant chooses a limit per hour beyond what the operator has set for its workspace. */
export function exceedsChosen(quota: ChosenLimit, most: number, chosen: number): Exceeded | undefined {
  return chosen > most ? { quota, most } : undefined;
}

/** So many times the quota of usable keys are known to gateways, with those that ended within a day. */
const RETAINED_TIMES_QUOTA = 10;

/** Whether a site has made as many keys in a day as gateways are to hold, however few of them are usable. */
export async function exceedsRetainedKeys(
  client: ClientBase,
  workspaceId: string,
  siteId: string,
): Promise<Exceeded | undefined> {
  const most = RETAINED_TIMES_QUOTA * (await quotaOf(client, 'api_keys', workspaceId));
  const there = await used(client, 'retained_keys', siteId);
  return there + 1 > most ? { quota: 'retained_keys', most } : undefined;
}

/** Quotas of what gateways hold of campaigns, narrowest first. */
const HELD_QUOTAS = [
  ['workspace_campaign_bytes', 'workspace'],
  ['user_campaign_bytes', 'user'],
  ['installation_campaign_bytes', 'installation'],
] as const;
type HeldQuota = (typeof HELD_QUOTAS)[number][0];

const HELD_SQL = heldSql('held_campaigns');

/**
 * Whether campaigns would occupy more of every gateway's memory than they may: of a workspace, of a person's
 * workspaces, or of all. Locked against additions anywhere until the transaction ends, as the last lock.
 */
export async function exceedsGateways(
  client: ClientBase,
  workspaceId: string,
  more: number,
): Promise<Exceeded | undefined> {
  await client.query(
    `select pg_advisory_xact_lock(hashtextextended(current_schema() || ' held campaigns', 0))`,
  );
  const { rows } = await client.query<Held>(HELD_SQL, [workspaceId]);
  const exceeded = HELD_QUOTAS.find(
    ([, whose]) => (rows[0]?.[whose] ?? 0) + more > HELD_CAMPAIGNS_BYTES[whose],
  );
  return exceeded && { quota: exceeded[0], most: HELD_CAMPAIGNS_BYTES[exceeded[1]] };
}
