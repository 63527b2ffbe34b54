import { PUBLISHER_MODES, type PublisherMode, type SiteResource } from '@truetally/contracts';
import { formatInstant } from '@truetally/kernel';
import {
  integer,
  list,
  oneOf,
  optional,
  readBody,
  record,
  required,
  textLike,
  uuid,
  type Values,
  withDefault,
} from './field-rules.js';
import { readCurrency, readTimeZone } from './locale.js';
import { normaliseDomain, normaliseOrigin } from './origin.js';
import { actorField, nameRule } from './workspace.js';

/** What a merchant says about a site. */
export interface SiteSettings {
  readonly name: string;
  readonly domain: string;
  readonly allowedOrigins: readonly string[];
  readonly currency: string;
  readonly timezone: string;
  readonly publisherMode: PublisherMode;
  readonly partner: { readonly providers: readonly string[]; readonly touchLimit: number };
  readonly runtimeHourlyLimit: number;
}

export interface Site extends SiteSettings {
  readonly siteId: string;
  readonly workspaceId: string;
  readonly version: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

const MAX_ORIGINS = 50;
const MAX_PROVIDERS = 50;
const MAX_PROVIDER_LENGTH = 64;
const MAX_TOUCHES_PER_REQUEST = 20;
/** The networks that ship (interface, section 5); a site that names none allows these. */
const DEFAULT_PROVIDERS: readonly string[] = ['awin', 'cj'];
const DEFAULT_RUNTIME_HOURLY_LIMIT = 100_000;
/** Nothing real comes near it: it keeps sums of limits inside 32 bits, and a local stack can be told "no limit". */
export const MAX_HOURLY_LIMIT = 1_000_000_000;
const MAX_VERSION = 2_147_483_647;
const PROVIDER_FORM = /^[a-z0-9]+(?:[_-][a-z0-9]+)*$/;

const domainRule = textLike('a host name without scheme, port or path', normaliseDomain);
const originsRule = list(
  textLike(
    'an exact origin such as https://shop.example: http or https, no path, no wildcard',
    normaliseOrigin,
  ),
  1,
  MAX_ORIGINS,
);
const currencyRule = textLike('an active ISO 4217 currency code in upper case', readCurrency);
const timeZoneRule = textLike('an IANA time zone name', readTimeZone);
const publisherModeRule = oneOf(PUBLISHER_MODES);
const providersRule = list(
  textLike(`a lower-case slug of at most ${MAX_PROVIDER_LENGTH} characters`, (value) =>
    value.length <= MAX_PROVIDER_LENGTH && PROVIDER_FORM.test(value) ? value : undefined,
  ),
  0,
  MAX_PROVIDERS,
);
const touchLimitRule = integer(1, MAX_TOUCHES_PER_REQUEST);
const hourlyLimitRule = integer(1, MAX_HOURLY_LIMIT);
const partnerRule = record({ providers: optional(providersRule), touch_limit: optional(touchLimitRule) });

const SITE_FIELDS = {
  name: required(nameRule),
  domain: required(domainRule),
  allowed_origins: required(originsRule),
  currency: withDefault(currencyRule, 'EUR'),
  timezone: withDefault(timeZoneRule, 'UTC'),
  publisher_mode: withDefault<PublisherMode>(publisherModeRule, 'off'),
  partner: optional(partnerRule),
  runtime_hourly_limit: withDefault(hourlyLimitRule, DEFAULT_RUNTIME_HOURLY_LIMIT),
};
const SITE_CHANGES = {
  name: optional(nameRule),
  domain: optional(domainRule),
  allowed_origins: optional(originsRule),
  currency: optional(currencyRule),
  timezone: optional(timeZoneRule),
  publisher_mode: optional(publisherModeRule),
  partner: optional(partnerRule),
  runtime_hourly_limit: optional(hourlyLimitRule),
};

export const readCreateSite = (body: unknown) =>
  readBody(body, { actor: actorField, workspace_id: required(uuid), ...SITE_FIELDS });

export const readUpdateSite = (body: unknown) =>
  readBody(body, {
    actor: actorField,
    workspace_id: required(uuid),
    site_id: required(uuid),
    /** From `If-Match`: the version that the caller saw. */
    version: optional(integer(1, MAX_VERSION)),
    ...SITE_CHANGES,
  });

export function newSettings(command: Values<typeof SITE_FIELDS>): SiteSettings {
  return {
    name: command.name,
    domain: command.domain,
    allowedOrigins: command.allowed_origins,
    currency: command.currency,
    timezone: command.timezone,
    publisherMode: command.publisher_mode,
    partner: {
      providers: command.partner?.providers ?? DEFAULT_PROVIDERS,
      touchLimit: command.partner?.touch_limit ?? MAX_TOUCHES_PER_REQUEST,
    },
    runtimeHourlyLimit: command.runtime_hourly_limit,
  };
}

/** The settings after a change that names some of them; `partner` too is changed member by member. */
export function changedSettings(site: SiteSettings, changes: Values<typeof SITE_CHANGES>): SiteSettings {
  return {
    name: changes.name ?? site.name,
    domain: changes.domain ?? site.domain,
    allowedOrigins: changes.allowed_origins ?? site.allowedOrigins,
    currency: changes.currency ?? site.currency,
    timezone: changes.timezone ?? site.timezone,
    publisherMode: changes.publisher_mode ?? site.publisherMode,
    partner: {
      providers: changes.partner?.providers ?? site.partner.providers,
      touchLimit: changes.partner?.touch_limit ?? site.partner.touchLimit,
    },
    runtimeHourlyLimit: changes.runtime_hourly_limit ?? site.runtimeHourlyLimit,
  };
}

/** The resource as answers carry it (interface, section 9). */
export function presentSite(site: Site): SiteResource {
  return {
    id: site.siteId,
    workspace_id: site.workspaceId,
    name: site.name,
    domain: site.domain,
    allowed_origins: site.allowedOrigins,
    currency: site.currency,
    timezone: site.timezone,
    publisher_mode: site.publisherMode,
    partner: { providers: site.partner.providers, touch_limit: site.partner.touchLimit },
    runtime_hourly_limit: site.runtimeHourlyLimit,
    version: site.version,
    created_at: formatInstant(site.createdAtMs),
    updated_at: formatInstant(site.updatedAtMs),
  };
}
