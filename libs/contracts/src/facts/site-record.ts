import { recordCodec } from './record-codec.js';
import { type RecordReader } from './record-reader.js';

/** Whether a site has publisher mode. */
export const PUBLISHER_MODES = ['off', 'active'] as const;
/** One of `PUBLISHER_MODES`. */
export type PublisherMode = (typeof PUBLISHER_MODES)[number];

/** Which eligible touches share a purchase's commission (interface page, sections 6 and 9). */
export const ATTRIBUTION_MODELS = ['linear', 'last_touch', 'first_touch'] as const;
/** One of `ATTRIBUTION_MODELS`. */
export type AttributionModel = (typeof ATTRIBUTION_MODELS)[number];

/** A site's settings for partner touches and commissions (interface page, sections 5, 6 and 9). */
export interface PartnerSettings {
  readonly providers: readonly string[];
  /** Touches per request, 1–20. */
  readonly touch_limit: number;
  readonly attribution_model: AttributionModel;
  /** Lookback window of a purchase in days, 1–365; null: unlimited. */
  readonly lookback_days: number | null;
}

/** The value of `sites.v1`, key `site_id`; a null value means that the site is deleted. */
export interface SiteRecord {
  readonly site_id: string;
  readonly workspace_id: string;
  readonly name: string;
  readonly domain: string;
  /** Exact origins, as browsers send them: `https://shop.example.com`. */
  readonly allowed_origins: readonly string[];
  /** Its workspace is suspended: the site's keys and tokens are refused. */
  readonly suspended: boolean;
  /** ISO 4217. */
  readonly currency: string;
  /** IANA name. */
  readonly timezone: string;
  readonly publisher_mode: PublisherMode;
  readonly partner: PartnerSettings;
  /** Requests per clock hour (UTC) over all runtime tokens of the site. */
  readonly runtime_hourly_limit: number;
  readonly version: number;
}

/** Writes and reads the value of `sites.v1`. */
export const SITE_RECORD = recordCodec((reader): SiteRecord => {
  const partner = reader.object('partner');
  const publisherMode = reader.oneOf('publisher_mode', PUBLISHER_MODES) ?? 'off';
  return {
    site_id: reader.text('site_id'),
    workspace_id: reader.text('workspace_id'),
    name: reader.text('name'),
    domain: reader.text('domain'),
    allowed_origins: reader.texts('allowed_origins'),
    suspended: reader.flag('suspended'),
    currency: reader.text('currency'),
    timezone: reader.text('timezone'),
    publisher_mode: publisherMode,
    partner: partnerOf(partner),
    runtime_hourly_limit: reader.integer('runtime_hourly_limit'),
    version: reader.integer('version'),
  };
});

function partnerOf(reader: RecordReader): PartnerSettings {
  return {
    providers: reader.texts('providers'),
    touch_limit: reader.integer('touch_limit'),
    attribution_model: reader.oneOf('attribution_model', ATTRIBUTION_MODELS) ?? 'linear',
    lookback_days: reader.integerOrNull('lookback_days'),
  };
}
