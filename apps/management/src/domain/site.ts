import type { SiteFields, SiteResource } from '@truetally/contracts/management';

/** The merchant's fields of a site: the base of a change. */
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
