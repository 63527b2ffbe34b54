import type { SiteResource } from '@truetally/node';
import { typedNumber } from './typed-number.js';

/** A site's settings under the paths of the API, each as it is typed. */
export interface SiteForm {
  name: string;
  domain: string;
  allowed_origins: string;
  currency: string;
  timezone: string;
  publisher_mode: SiteResource['publisher_mode'];
  partner: {
    providers: string;
    touch_limit: string;
    attribution_model: SiteResource['partner']['attribution_model'];
    lookback_days: string;
  };
  runtime_hourly_limit: string;
}

/** Every field that a refusal may name. */
export const SITE_FIELDS = [
  'name',
  'domain',
  'allowed_origins',
  'currency',
  'timezone',
  'publisher_mode',
  'partner.providers',
  'partner.touch_limit',
  'partner.attribution_model',
  'partner.lookback_days',
  'runtime_hourly_limit',
] as const;

export function formOfSite({ partner, ...site }: SiteResource): SiteForm {
  return {
    name: site.name,
    domain: site.domain,
    allowed_origins: site.allowed_origins.join('\n'),
    currency: site.currency,
    timezone: site.timezone,
    publisher_mode: site.publisher_mode,
    partner: {
      providers: partner.providers.join(', '),
      touch_limit: String(partner.touch_limit),
      attribution_model: partner.attribution_model,
      lookback_days: partner.lookback_days === null ? '' : String(partner.lookback_days),
    },
    runtime_hourly_limit: String(site.runtime_hourly_limit),
  };
}

/** What is saved: every setting, so that nothing but what is shown is stored. */
export function settingsOfForm({ partner, ...form }: SiteForm) {
  return {
    name: form.name,
    domain: form.domain,
    allowed_origins: wordsOf(form.allowed_origins),
    currency: form.currency,
    timezone: form.timezone,
    publisher_mode: form.publisher_mode,
    partner: {
      providers: wordsOf(partner.providers),
      touch_limit: typedNumber(partner.touch_limit),
      attribution_model: partner.attribution_model,
      lookback_days: partner.lookback_days.trim() === '' ? null : typedNumber(partner.lookback_days),
    },
    runtime_hourly_limit: typedNumber(form.runtime_hourly_limit),
  };
}

export type SiteSettings = ReturnType<typeof settingsOfForm>;

/** The settings of a site beside its identity and its times. */
export function settingsOf(site: SiteResource): SiteSettings {
  return settingsOfForm(formOfSite(site));
}

/** Words between spaces, commas or lines. */
export function wordsOf(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter((word) => word !== '');
}
