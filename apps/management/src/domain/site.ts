import type { SiteFields, SiteResource } from '@truetally/contracts/management';

/** A site without what is not the merchant's to say: what a change begins with. */
export function siteFields(site: SiteResource): SiteFields {
  return {
    name: site.name,
    domain: site.domain,
    allowed_origins: site.allowed_origins,
    currency: site.currency,
    timezone: site.timezone,
    publisher_mode: site.publisher_mode,
    partner: site.partner,
    runtime_hourly_limit: site.runtime_hourly_limit,
  };
}
