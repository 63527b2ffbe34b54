import { TransientError } from '@truetally/messaging';
import { ErasedSites } from '@truetally/persistence';
import type { ClientBase } from 'pg';
import { Calendar } from '@truetally/kernel';

/** What a transaction may write after it has locked its sites. */
export interface SiteScope {
  /** Erased sites: nothing is written for them. */
  readonly erased: ReadonlySet<string>;
  readonly calendarOf: (siteId: string) => Calendar;
}

/** And which sites it leaves alone, as another transaction has them, or facts of theirs that came earlier wait: nothing is written for them. */
export interface FreeScope extends SiteScope {
  readonly busy: ReadonlySet<string>;
}

/** A site's settings from its newest fact; undefined before the first one. */
export type TimeZoneOf = (siteId: string) => string | undefined;

const LOCK = `
  select pg_advisory_xact_lock(hashtextextended('publisher-analytics ' || site_id, 0))
  from (select unnest($1::text[]) as site_id order by 1) as sites`;
const LOCK_FREE = `
  select site_id from unnest($1::text[]) as sites (site_id)
  where exists (select from parked_clicks p where p.site_id = sites.site_id::uuid)
    or exists (select from reference_renamings n where n.site_id = sites.site_id::uuid)
    or not pg_try_advisory_xact_lock(hashtextextended('publisher-analytics ' || site_id, 0))`;
const RENAMED = 'select distinct site_id from reference_renamings where site_id = any($1::uuid[])';
/**
 * These transactions look up some thousand keys at a time, always by an index. For a table that has grown
 * since its last analysis Postgres would choose full scans.
 */
const BY_INDEX = `select ${['seqscan', 'hashjoin', 'mergejoin']
  .map((way) => `set_config('enable_${way}', $1, true)`)
  .join(', ')}, set_config('jit', $1, true)`;
export const DEFAULT_TIME_ZONE = 'UTC';

/** For a transaction that writes no sums; by the index, as the others. */
export async function lockSite(client: ClientBase, siteId: string): Promise<void> {
  await client.query(BY_INDEX, ['off']);
  await client.query(LOCK, [[siteId]]);
}

/**
 * Locks a transaction's sites: transactions that change clicks, settlements or sums of a site are serialised.
 * Sites are locked in one order.
 */
export class SiteScopes {
  private readonly erasedSites = new ErasedSites();
  private readonly calendars = new Map<string, Calendar>();

  constructor(private readonly timeZoneOf: TimeZoneOf) {}

  /** Waits for sites that another transaction has. @throws TransientError while references of one are being renamed */
  async open(client: ClientBase, siteIds: readonly string[]): Promise<SiteScope> {
    const { ids, erased } = await this.begin(client, siteIds);
    await client.query(LOCK, [ids]);
    const { rowCount } = await client.query(RENAMED, [ids]);
    if (rowCount !== 0) throw new TransientError('References of the site are being erased.');
    return this.scopeOf(client, ids, erased);
  }

  /** Leaves busy sites alone. */
  async openFree(client: ClientBase, siteIds: readonly string[]): Promise<FreeScope> {
    const { ids, erased } = await this.begin(client, siteIds);
    const { rows } = await client.query<{ site_id: string }>(LOCK_FREE, [ids]);
    const busy = new Set(rows.map((row) => row.site_id).filter((siteId) => !erased.has(siteId)));
    // A piece of an erasure may have ended between the look and the lock, which are of one snapshot.
    const renamed = await client.query<{ site_id: string }>(RENAMED, [ids]);
    for (const row of renamed.rows) busy.add(row.site_id);
    const free = ids.filter((siteId) => !busy.has(siteId));
    return { ...(await this.scopeOf(client, free, erased)), busy };
  }

  /** For a transaction that reads all data of a site, without the index-only settings. */
  async openForAll(client: ClientBase, siteId: string): Promise<SiteScope> {
    const scope = await this.open(client, [siteId]);
    await client.query(BY_INDEX, ['on']);
    return scope;
  }

  private async begin(
    client: ClientBase,
    siteIds: readonly string[],
  ): Promise<Pick<SiteScope, 'erased'> & { readonly ids: readonly string[] }> {
    await client.query(BY_INDEX, ['off']);
    const { rows } = await client.query<{ seen: string }>('select erasures_seen() as seen');
    const erased = await this.erasedSites.at(client, rows[0]?.seen ?? '0');
    return { ids: [...new Set(siteIds)], erased };
  }

  private async scopeOf(
    client: ClientBase,
    ids: readonly string[],
    erased: SiteScope['erased'],
  ): Promise<SiteScope> {
    const zones = await this.zonesOf(
      client,
      ids.filter((siteId) => !erased.has(siteId)),
    );
    return { erased, calendarOf: (siteId) => this.calendar(zones.get(siteId) ?? DEFAULT_TIME_ZONE) };
  }

  calendar(timeZone: string): Calendar {
    const known = this.calendars.get(timeZone);
    if (known !== undefined) return known;
    const calendar = new Calendar(timeZone);
    this.calendars.set(timeZone, calendar);
    return calendar;
  }

  /** The zone of a site's stored sums, which is the site's until that changes; nothing is written for erased sites. */
  private async zonesOf(
    client: ClientBase,
    siteIds: readonly string[],
  ): Promise<ReadonlyMap<string, string>> {
    const values = [siteIds, siteIds.map((siteId) => this.timeZoneOf(siteId) ?? DEFAULT_TIME_ZONE)];
    const { rows } = await client.query<{ site_id: string; timezone: string }>(
      `with added as (
         insert into site_calendars (site_id, timezone) select * from unnest($1::uuid[], $2::text[])
         on conflict do nothing returning site_id, timezone)
       select site_id, timezone from added
       union all select site_id, timezone from site_calendars where site_id = any($1::uuid[])`,
      values,
    );
    return new Map(rows.map((row) => [row.site_id, row.timezone]));
  }
}
