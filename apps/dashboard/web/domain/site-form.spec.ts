import { describe, expect, it } from '@jest/globals';
import type { SiteResource } from '@truetally/node';
import { formOfSite, settingsOf, settingsOfForm } from './site-form.js';

const SITE: SiteResource = {
  id: '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e01',
  workspace_id: '0d0c1f7e-2d5e-4f7c-9d62-3c1f5b7a9e02',
  version: 3,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  name: 'Shop',
  domain: 'shop.example',
  allowed_origins: ['https://shop.example', 'https://www.shop.example'],
  currency: 'EUR',
  timezone: 'Europe/Berlin',
  publisher_mode: 'off',
  partner: { providers: ['awin', 'cj'], touch_limit: 20, attribution_model: 'linear', lookback_days: null },
  runtime_hourly_limit: 100_000,
};

describe('settings of a site in a form', () => {
  it('settings that are shown and not changed are saved as they were', () => {
    const { name, domain, allowed_origins, currency, timezone, publisher_mode, partner } = SITE;
    expect(settingsOf(SITE)).toEqual({
      name,
      domain,
      allowed_origins,
      currency,
      timezone,
      publisher_mode,
      partner,
      runtime_hourly_limit: 100_000,
    });
  });

  it('an emptied number of days is a look back without end, and what is no number goes as it is typed', () => {
    const form = formOfSite({ ...SITE, partner: { ...SITE.partner, lookback_days: 30 } });
    expect(settingsOfForm(form).partner.lookback_days).toBe(30);
    const changed = { ...form, partner: { ...form.partner, lookback_days: ' ', touch_limit: 'many' } };
    expect(settingsOfForm(changed).partner).toMatchObject({ lookback_days: null, touch_limit: 'many' });
  });

  it('a number with commas between its thousands is never a thousandth of it', () => {
    const limit = (typed: string) =>
      settingsOfForm({ ...formOfSite(SITE), runtime_hourly_limit: typed }).runtime_hourly_limit;
    expect(['10,000', '1,000,000', '0,125', '2,5', '2.5'].map(limit)).toEqual([
      '10,000',
      '1,000,000',
      0.125,
      2.5,
      2.5,
    ]);
  });
});
