import { recordCodec } from './record-codec.js';

/** Types of campaigns; `content` depends on the type. */
export const CAMPAIGN_TYPES = ['overlay', 'recommendation', 'chatbot'] as const;
/** One of `CAMPAIGN_TYPES`. */
export type CampaignType = (typeof CAMPAIGN_TYPES)[number];

/** States of a campaign; pages get only active ones. */
export const CAMPAIGN_STATUSES = ['draft', 'active', 'paused', 'archived'] as const;
/** One of `CAMPAIGN_STATUSES`. */
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Devices that the targeting of a campaign can name. */
export const DEVICE_TYPES = ['desktop', 'mobile', 'tablet'] as const;

/** The value of `campaigns.v1`, key `campaign_id`; a null value means that the campaign is deleted. */
export interface CampaignRecord {
  readonly campaign_id: string;
  readonly site_id: string;
  readonly workspace_id: string;
  readonly type: CampaignType;
  readonly name: string;
  /** Only an active one is shown. */
  readonly status: CampaignStatus;
  /**
   * Shown from the first instant (inclusive) to the second (exclusive): ISO 8601 UTC, null where unbounded.
   */
  readonly schedule: { readonly from: string | null; readonly to: string | null };
  /** The audience: each list that is not empty must match. */
  readonly targeting: {
    readonly page_url_contains: readonly string[];
    readonly languages: readonly string[];
    readonly device_types: readonly string[];
  };
  /** `OverlayContent`, `RecommendationContent` or `ChatbotContent`, by type. */
  readonly content: object;
  readonly version: number;
  /** ISO 8601 UTC with milliseconds. */
  readonly created_at: string;
}

/** Writes and reads the value of `campaigns.v1`. */
export const CAMPAIGN_RECORD = recordCodec((reader): CampaignRecord => {
  const schedule = reader.object('schedule');
  const targeting = reader.object('targeting');
  return {
    campaign_id: reader.text('campaign_id'),
    site_id: reader.text('site_id'),
    workspace_id: reader.text('workspace_id'),
    type: reader.oneOf('type', CAMPAIGN_TYPES) ?? 'overlay',
    name: reader.text('name'),
    status: reader.oneOf('status', CAMPAIGN_STATUSES) ?? 'archived',
    schedule: { from: schedule.instantOrNull('from'), to: schedule.instantOrNull('to') },
    targeting: {
      page_url_contains: targeting.texts('page_url_contains'),
      languages: targeting.texts('languages'),
      device_types: targeting.texts('device_types'),
    },
    content: reader.members('content'),
    version: reader.integer('version'),
    created_at: reader.instant('created_at'),
  };
});
