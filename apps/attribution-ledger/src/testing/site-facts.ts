import { randomUUID } from 'node:crypto';
import type { AttributionSettings } from '@truetally/contracts/attribution';
import { SITE_RECORD, type SiteRecord } from '@truetally/contracts/facts';

const SITE: SiteRecord = {
  site_id: randomUUID(),
  workspace_id: randomUUID(),
  name: 'Shop',
  domain: 'shop.example',
  allowed_origins: ['https://shop.example'],
  suspended: false,
  currency: 'EUR',
  timezone: 'UTC',
  publisher_mode: 'off',
  partner: { providers: ['awin'], touch_limit: 20, attribution_model: 'linear', lookback_days: null },
  runtime_hourly_limit: 100_000,
  version: 1,
};

/** The value of `sites.v1` for a site with these settings. */
export function siteFact(siteId: string, { model, lookbackDays, incarnation, version }: AttributionSettings) {
  const partner = { ...SITE.partner, attribution_model: model, lookback_days: lookbackDays };
  return {
    key: siteId,
    value: SITE_RECORD.encode({ ...SITE, site_id: siteId, partner, version }),
    headers: { incarnation: String(incarnation) },
  };
}
