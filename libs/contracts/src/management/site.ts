import { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, numberOf, succeed, toStorableText } from '@truetally/kernel';
import {
  ATTRIBUTION_MODELS,
  type AttributionModel,
  type PartnerSettings,
  PUBLISHER_MODES,
  type PublisherMode,
} from '../facts/site-record.js';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import {
  ListOf,
  Matching,
  Name,
  Nested,
  OneOf,
  Optional,
  OrNull,
  Readable,
  WholeNumber,
} from '../validation/decorators.js';
import { PROVIDER, PROVIDER_FORM, UUID, UUID_FORM } from '../validation/forms.js';
import { matching, readableText } from '../validation/rules.js';
import { CURRENCY_FORM, currencyOf, timeZoneOf, TIME_ZONE_FORM } from './locale.js';
import { DOMAIN_FORM, normaliseDomain, normaliseOrigin, ORIGIN_FORM } from './origin.js';

const NAME = { max: 120 };
const ORIGINS = { min: 1, max: 50 };
const PROVIDERS = { min: 0, max: 50 };
const TOUCHES_PER_REQUEST = { min: 1, max: 20 };
const LOOKBACK_DAYS = { min: 1, max: 365 };
/** Above any real use. Sums of limits stay within 32 bits, and a local stack can disable the limit. */
export const HOURLY_LIMIT = { min: 1, max: 1_000_000_000 };
/** The networks supported from the start (interface page, section 5); a site that names none allows these. */
const DEFAULT_PROVIDERS: readonly string[] = ['awin', 'cj'];
const DEFAULT_RUNTIME_HOURLY_LIMIT = 100_000;

export class SitePartnerBody {
  @Optional() @ListOf(matching(PROVIDER, PROVIDER_FORM), PROVIDERS) providers?: readonly string[] | null;
  @Optional() @WholeNumber(TOUCHES_PER_REQUEST) touch_limit?: number | null;
  @Optional() @OneOf(ATTRIBUTION_MODELS) attribution_model?: AttributionModel | null;
  @Optional() @WholeNumber(LOOKBACK_DAYS) lookback_days?: number | null;
}

/** Body of `POST /sites`, and what a site is after a `PATCH` (interface page, section 9). */
export class SiteBody {
  @Name(NAME) name!: string;
  @Readable(normaliseDomain, DOMAIN_FORM, 'hostname') domain!: string;
  @ListOf(readableText(normaliseOrigin, ORIGIN_FORM, 'origin'), ORIGINS) allowed_origins!: readonly string[];
  @Optional() @Readable(currencyOf, CURRENCY_FORM, 'currency') currency?: string | null;
  @Optional() @Readable(timeZoneOf, TIME_ZONE_FORM, 'time-zone') timezone?: string | null;
  @Optional() @OneOf(PUBLISHER_MODES) publisher_mode?: PublisherMode | null;
  @Optional() @Nested(() => SitePartnerBody) partner?: SitePartnerBody | null;
  @Optional() @WholeNumber(HOURLY_LIMIT) runtime_hourly_limit?: number | null;
}

/** A merchant's settings of a site, canonical and with defaults. */
export interface SiteFields {
  readonly name: string;
  /** A host name in lower case and punycode. */
  readonly domain: string;
  /** As browsers send them, without repetitions. */
  readonly allowed_origins: readonly string[];
  /** ISO 4217. */
  readonly currency: string;
  /** IANA name. */
  readonly timezone: string;
  readonly publisher_mode: PublisherMode;
  readonly partner: PartnerSettings;
  /** Requests per clock hour (UTC) over all runtime tokens of the site. */
  readonly runtime_hourly_limit: number;
}

/** What a site allows in partner touches, with every default. */
export class SitePartner implements PartnerSettings {
  @ListOf(matching(PROVIDER, PROVIDER_FORM), PROVIDERS) readonly providers!: readonly string[];
  @WholeNumber(TOUCHES_PER_REQUEST) readonly touch_limit!: number;
  @OneOf(ATTRIBUTION_MODELS) readonly attribution_model!: AttributionModel;
  @OrNull() @WholeNumber(LOOKBACK_DAYS) readonly lookback_days!: number | null;
}

/** A site as clients read it. */
export class SiteResource extends Resource implements SiteFields {
  @Matching(UUID, UUID_FORM) readonly workspace_id!: string;
  @Name(NAME) readonly name!: string;
  @Readable(normaliseDomain, DOMAIN_FORM, 'hostname') readonly domain!: string;
  @ListOf(readableText(normaliseOrigin, ORIGIN_FORM, 'origin'), ORIGINS)
  readonly allowed_origins!: readonly string[];
  @Readable(currencyOf, CURRENCY_FORM, 'currency') readonly currency!: string;
  @Readable(timeZoneOf, TIME_ZONE_FORM, 'time-zone') readonly timezone!: string;
  @OneOf(PUBLISHER_MODES) readonly publisher_mode!: PublisherMode;
  @Nested(() => SitePartner) readonly partner!: SitePartner;
  @WholeNumber(HOURLY_LIMIT) readonly runtime_hourly_limit!: number;
}

const validate = compileValidator(SiteBody, { unknownFields: 'refused-everywhere' });

/** Every broken rule, or the site in the body. @param mostPerHour what the operator permits; no default is above it */
export function readSite(body: unknown, mostPerHour = Infinity): BodyReading<SiteFields> {
  const violations = validate(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { partner, ...site } = body as SiteBody;
  return succeed({
    name: toStorableText(site.name),
    domain: normaliseDomain(site.domain) ?? site.domain,
    allowed_origins: [...new Set(site.allowed_origins.map((origin) => normaliseOrigin(origin) ?? origin))],
    currency: site.currency ?? 'EUR',
    timezone: site.timezone ?? 'UTC',
    publisher_mode: site.publisher_mode ?? 'off',
    partner: partnerOf(partner),
    runtime_hourly_limit: numberOf(
      site.runtime_hourly_limit ?? Math.min(DEFAULT_RUNTIME_HOURLY_LIMIT, mostPerHour),
    ),
  });
}

/** Without a lookback, touches of any age count. */
function partnerOf(partner: SitePartnerBody | null | undefined): PartnerSettings {
  const lookbackDays = partner?.lookback_days ?? null;
  return {
    providers: [...new Set(partner?.providers ?? DEFAULT_PROVIDERS)],
    touch_limit: numberOf(partner?.touch_limit ?? TOUCHES_PER_REQUEST.max),
    attribution_model: partner?.attribution_model ?? 'linear',
    lookback_days: lookbackDays === null ? null : numberOf(lookbackDays),
  };
}
