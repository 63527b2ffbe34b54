import { deleteOlder } from '@truetally/persistence';
import type { Queryable } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { type Exceeded, type OftenMade, quotaAmong } from './quota.store.js';

/** Per site or per workspace. */
const COUNTS: Readonly<Record<OftenMade, string>> = {
  products: 'select count(*) from products where site_id = $2',
  profiles: 'select count(*) from profiles where site_id = $2',
  submissions: 'select count(*) from submissions where site_id = $2',
  // Entries stay for ever: counted from the first, a workspace could be changed no more some day.
  audit_entries: `select count(*) from audit_log where workspace_id = $2 and at > now() - interval '90 days'`,
  jobs: 'select count(*) from jobs where workspace_id = $2',
};
const MINUTE = `interval '1 minute'`;

/**
 * What there was at most a minute ago: counting a million rows for each further one would cost everybody more than the rows
 * of that minute. Those who count at the same time find the same. With it, what the operator has said of the workspace: each new
 * product asks for both twice, and pays for each statement.
 */
const countedLately = (what: OftenMade): string => `
  with known as (
    select used from often_made where name = $1 and counted_at > clock_timestamp() - ${MINUTE}
  ), counted as (
    insert into often_made (name, used) select $1, (${COUNTS[what]}) where not exists (select from known)
    on conflict (name) do update set used = excluded.used, counted_at = clock_timestamp() returning used
  )
  select (select used from known union all select used from counted)::float8 as used,
    (select quotas from workspaces where workspace_id = $3) as quotas`;

/**
 * Whether a workspace, or one of its sites, has as many of what is made often as it may have. What was made since the last
 * count is not known, so that a quota is exceeded by what is made in a minute.
 */
export async function exceedsLately(
  client: ClientBase,
  what: OftenMade,
  { workspaceId, siteId, more = 1 }: { workspaceId: string; siteId?: string; more?: number },
): Promise<Exceeded | undefined> {
  const owner = siteId ?? workspaceId;
  const { rows } = await client.query<{ used: number; quotas: object | null }>({
    name: `often-made-${what}`,
    text: countedLately(what),
    values: [`${what} ${owner}`, owner, workspaceId],
  });
  const most = quotaAmong(rows[0]?.quotas, what);
  return (rows[0]?.used ?? 0) + more > most ? { quota: what, most } : undefined;
}

/** What names one of these within its site. */
const NAMES = { products: 'product_id', profiles: 'user_id' } as const;

/** The same for a batch of them by their names: those that the site has already take no further room. */
export async function exceedsByNames(
  client: ClientBase,
  what: keyof typeof NAMES,
  { workspaceId, siteId, names }: { workspaceId: string; siteId: string; names: Iterable<string> },
): Promise<Exceeded | undefined> {
  const told = [...new Set(names)];
  const quota = { workspaceId, siteId };
  const whole = await exceedsLately(client, what, { ...quota, more: told.length });
  if (whole === undefined) return undefined;
  const { rows } = await client.query<{ known: number }>(
    `select count(*)::integer as known from ${what} where site_id = $1 and ${NAMES[what]} = any($2::text[])`,
    [siteId, told],
  );
  const more = told.length - (rows[0]?.known ?? 0);
  return more === 0 ? undefined : exceedsLately(client, what, { ...quota, more });
}

/** Deletes counts that nobody has asked for in a day. */
export function forgetCounts(client: Queryable): Promise<boolean> {
  return deleteOlder(client, { table: 'often_made', key: 'name', time: 'counted_at', keep: '1 day' });
}
