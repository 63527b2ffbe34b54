import type { PartnerSettings, PublisherMode } from '@truetally/contracts/facts';
import { compareRevisions, type Revision } from '@truetally/kernel';
import type { HourlyLimit } from '../limits/hourly-limit.js';
import { GoneIds } from './gone-ids.js';

/** The stored part of a `sites.v1` fact. */
export interface Site extends Revision {
  readonly siteId: string;
  readonly workspaceId: string;
  readonly isSuspended: boolean;
  readonly allowedOrigins: ReadonlySet<string>;
  /** The accepted networks of touches, and their number per request (interface page, section 5). */
  readonly partner: PartnerSettings;
  readonly publisherMode: PublisherMode;
  /** IANA name: dates in queries are days of this zone. */
  readonly timeZone: string;
  /** The common limit of its runtime tokens. */
  readonly runtimeLimit: HourlyLimit;
}

/**
 * Every site in memory, from the compacted topic `sites.v1`: authentication never waits for a database. Older
 * revisions than the known one are ignored.
 */
export class SiteDirectory {
  private readonly sites = new Map<string, Site>();
  /** How many sites list an origin: preflights have only the origin. */
  private readonly listings = new Map<string, number>();
  private readonly gone = new GoneIds();

  put(site: Site): void {
    if (this.gone.has(site.siteId, site.incarnation)) return;
    const known = this.sites.get(site.siteId);
    if (known !== undefined && compareRevisions(known, site) > 0) return;
    this.forget(site.siteId);
    this.sites.set(site.siteId, site);
    for (const origin of site.allowedOrigins) this.listings.set(origin, (this.listings.get(origin) ?? 0) + 1);
  }

  /** The topic has deleted it. */
  remove(siteId: string, incarnation: number): void {
    if ((this.sites.get(siteId)?.incarnation ?? 0) > incarnation) return;
    this.gone.add(siteId, incarnation);
    this.forget(siteId);
  }

  /** Forgets it until the topic contains it again. */
  forget(siteId: string): void {
    const site = this.sites.get(siteId);
    if (site === undefined) return;
    this.sites.delete(siteId);
    for (const origin of site.allowedOrigins) {
      const rest = (this.listings.get(origin) ?? 0) - 1;
      if (rest > 0) this.listings.set(origin, rest);
      else this.listings.delete(origin);
    }
  }

  /** Keys of all known sites. */
  keys(): Iterable<string> {
    return this.sites.keys();
  }

  /** A site with usable credentials: it exists, and its workspace is not suspended. */
  active(siteId: string): Site | undefined {
    const site = this.sites.get(siteId);
    return site === undefined || site.isSuspended ? undefined : site;
  }

  /** Whether the workspace has the site, suspended or not. */
  isOf(workspaceId: string, siteId: string): boolean {
    return this.sites.get(siteId)?.workspaceId === workspaceId;
  }

  /** An existing site, suspended or not. */
  find(siteId: string): Site | undefined {
    return this.sites.get(siteId);
  }

  /** The sites of a workspace. */
  ofWorkspace(workspaceId: string): readonly Site[] {
    return [...this.sites.values()].filter((site) => site.workspaceId === workspaceId);
  }

  /** Whether this version of the site, or a later one, is known. */
  isKnown(siteId: string, version: number): boolean {
    return (this.sites.get(siteId)?.version ?? 0) >= version;
  }

  lists(origin: string): boolean {
    return this.listings.has(origin);
  }
}
