import type { SiteDirectory } from '../credentials/site-directory.js';
import type { JsonObject } from './management-asker.js';

/**
 * Whether this gateway has heard of a change that it asked for itself. The facts arrive some milliseconds after the
 * answer; without waiting for them, who creates a site could be told at once that there is no such site.
 */
export class KnownChanges {
  constructor(private readonly sites: SiteDirectory) {}

  readonly siteGone = ({ id }: JsonObject): boolean => !this.sites.isKnown(String(id), 1);

  readonly site = ({ id, version }: JsonObject): boolean => this.sites.isKnown(String(id), Number(version));
}
