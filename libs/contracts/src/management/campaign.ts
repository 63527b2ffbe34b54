import { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, formatInstant, parseInstant, succeed } from '@truetally/kernel';
import {
  CAMPAIGN_STATUSES,
  CAMPAIGN_TYPES,
  type CampaignStatus,
  type CampaignType,
  DEVICE_TYPES,
} from '../facts/campaign-record.js';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import {
  ListOf,
  Matching,
  Name,
  Nested,
  NestedByKind,
  OneOf,
  Optional,
  OrNull,
  Timestamp,
} from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { matching, namingText, oneOf } from '../validation/rules.js';
import { isJsonObject } from '../validation/shape.js';
import {
  type CampaignContent,
  ChatbotContent,
  OverlayContent,
  RecommendationContent,
} from './campaign-content.js';
import { checkCampaign } from './campaign-rules.js';
import { toStoredContent } from './stored-content.js';

const NAME = { max: 120 };
const PARTS_OF_URLS = { min: 0, max: 50 };
const PART_OF_URL = { max: 500 };
const LANGUAGES = { min: 0, max: 50 };
const DEVICES = { min: 0, max: DEVICE_TYPES.length };
/** A primary language and its subtags (RFC 5646), in any case: `de`, `pt-BR`, `zh-Hant-TW`. */
const LANGUAGE = /^(?=.{1,35}$)[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;
const LANGUAGE_FORM = 'a language tag such as de or pt-BR';

const CONTENT_BY_TYPE = {
  overlay: () => OverlayContent,
  recommendation: () => RecommendationContent,
  chatbot: () => ChatbotContent,
};

export class CampaignScheduleBody {
  @Optional() @Timestamp() from?: string | null;
  @Optional() @Timestamp() to?: string | null;
}

export class CampaignTargetingBody {
  @Optional() @ListOf(namingText(PART_OF_URL), PARTS_OF_URLS) page_url_contains?: readonly string[] | null;
  @Optional() @ListOf(matching(LANGUAGE, LANGUAGE_FORM), LANGUAGES) languages?: readonly string[] | null;
  @Optional() @ListOf(oneOf(DEVICE_TYPES), DEVICES) device_types?: readonly string[] | null;
}

/** Body of `POST /campaigns`, and what a campaign is after a `PATCH` (interface page, section 9). */
export class CampaignBody {
  @Matching(UUID, UUID_FORM) site_id!: string;
  @OneOf(CAMPAIGN_TYPES) type!: CampaignType;
  @Name(NAME) name!: string;
  @Optional() @OneOf(CAMPAIGN_STATUSES) status?: CampaignStatus | null;
  @Optional() @Nested(() => CampaignScheduleBody) schedule?: CampaignScheduleBody | null;
  @Optional() @Nested(() => CampaignTargetingBody) targeting?: CampaignTargetingBody | null;
  @NestedByKind('type', CONTENT_BY_TYPE) content!: CampaignContent;
}

/** Shown from the first instant (inclusive) to the second (exclusive); ISO 8601 UTC. */
export class CampaignSchedule {
  @Optional() @Timestamp() readonly from?: string;
  @Optional() @Timestamp() readonly to?: string;
}

/** Each list that is present must match with one of its texts. None is empty. */
export class CampaignTargeting {
  @Optional() @ListOf(namingText(PART_OF_URL), PARTS_OF_URLS) readonly page_url_contains?: readonly string[];
  @Optional() @ListOf(matching(LANGUAGE, LANGUAGE_FORM), LANGUAGES) readonly languages?: readonly string[];
  @Optional() @ListOf(oneOf(DEVICE_TYPES), DEVICES) readonly device_types?: readonly string[];
}

/** A merchant's settings of a campaign, canonical and with defaults. */
export interface CampaignFields {
  readonly site_id: string;
  readonly type: CampaignType;
  readonly name: string;
  readonly status: CampaignStatus;
  /** Null when it is always shown. */
  readonly schedule: CampaignSchedule | null;
  /** Null when it is shown to everybody. */
  readonly targeting: CampaignTargeting | null;
  /** Without absent members. */
  readonly content: CampaignContent;
}

/** A campaign as clients read it. */
export class CampaignResource extends Resource implements CampaignFields {
  @Matching(UUID, UUID_FORM) readonly workspace_id!: string;
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @OneOf(CAMPAIGN_TYPES) readonly type!: CampaignType;
  @Name(NAME) readonly name!: string;
  @OneOf(CAMPAIGN_STATUSES) readonly status!: CampaignStatus;
  @OrNull() @Nested(() => CampaignSchedule) readonly schedule!: CampaignSchedule | null;
  @OrNull() @Nested(() => CampaignTargeting) readonly targeting!: CampaignTargeting | null;
  @NestedByKind('type', CONTENT_BY_TYPE) readonly content!: CampaignContent;
}

const validate = compileValidator(CampaignBody, { unknownFields: 'refused-everywhere' });

/** Every broken rule, or the campaign in the body. */
export function readCampaign(body: unknown): BodyReading<CampaignFields> {
  const violations = [...validate(body), ...(isJsonObject(body) ? checkCampaign(body) : [])];
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const campaign = body as CampaignBody;
  return succeed({
    site_id: campaign.site_id.toLowerCase(),
    type: campaign.type,
    name: toStoredContent(campaign.name),
    status: campaign.status ?? 'draft',
    schedule: scheduleOf(campaign.schedule ?? {}),
    targeting: targetingOf(campaign.targeting ?? {}),
    content: toStoredContent(campaign.content),
  });
}

function scheduleOf({ from, to }: CampaignScheduleBody): CampaignSchedule | null {
  return orNull({ from: instantOf(from), to: instantOf(to) });
}

function instantOf(text: string | null | undefined): string | undefined {
  const instant = typeof text === 'string' ? parseInstant(text) : undefined;
  return instant === undefined ? undefined : formatInstant(instant.epochMs);
}

/** An empty list restricts nothing, like an absent one. */
function targetingOf({
  page_url_contains,
  languages,
  device_types,
}: CampaignTargetingBody): CampaignTargeting | null {
  return orNull({
    page_url_contains: distinct(page_url_contains),
    languages: distinct(languages),
    device_types: distinct(device_types),
  });
}

function distinct(texts: readonly string[] | null | undefined): readonly string[] | undefined {
  return texts == null || texts.length === 0 ? undefined : [...new Set(toStoredContent(texts))];
}

/** Only the members that are present; null when there are none. */
function orNull<T extends object>(members: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } | null {
  const present = Object.entries(members).filter(([, value]) => value !== undefined);
  if (present.length === 0) return null;
  return Object.fromEntries(present) as { [Name in keyof T]?: Exclude<T[Name], undefined> };
}
