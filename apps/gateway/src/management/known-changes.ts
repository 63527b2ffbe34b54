import type { SiteDirectory } from '../credentials/site-directory.js';
import type { CampaignDirectory } from '../storefront/campaign-directory.js';
import type { JsonObject } from './management-asker.js';

/**
 * Whether this gateway has heard of a change that it asked for itself. The facts arrive some milliseconds after the
 * answer; without waiting for them, who creates a site could be told at once that there is no such site.
 */
export class KnownChanges {
  constructor(
    private readonly sites: SiteDirectory,
    private readonly campaigns: CampaignDirectory,
  ) {}

  readonly site = ({ id, version }: JsonObject): boolean => this.sites.isKnown(String(id), Number(version));
  readonly siteGone = ({ id }: JsonObject): boolean => !this.sites.isKnown(String(id), 1);

  readonly campaign = ({ id, version }: JsonObject): boolean =>
    this.campaigns.isKnown(String(id), Number(version));
  readonly campaignGone = ({ id }: JsonObject): boolean => !this.campaigns.isKnown(String(id), 1);
}
