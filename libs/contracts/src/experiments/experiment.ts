import { fail, type FieldErrors, isRawNumber, numberOf, succeed } from '@truetally/kernel';
import { CAMPAIGN_TYPES, type CampaignType } from '../facts/campaign-record.js';
import { toStoredContent } from '../management/stored-content.js';
import { type BodyReading, Resource } from '../resource/index.js';
import { compileValidator, toFieldErrors, type Violation } from '../validation/compile-validator.js';
import {
  ListOf,
  Matching,
  Name,
  Nested,
  NonEmptyText,
  NumberWithin,
  OneOf,
  Optional,
  OrNull,
  Text,
  Timestamp,
  WholeNumber,
} from '../validation/decorators.js';
import { PROVIDER, PROVIDER_FORM, UUID, UUID_FORM } from '../validation/forms.js';
import { identifier, matching } from '../validation/rules.js';
import { isJsonObject } from '../validation/shape.js';
import { type ExperimentMetric, METRICS_OF_EXPERIMENT } from './metrics.js';

/** States of an experiment, in the order in which it can reach them first. */
export const EXPERIMENT_STATES = ['draft', 'running', 'paused', 'stopped'] as const;
/** One of `EXPERIMENT_STATES`. */
export type ExperimentState = (typeof EXPERIMENT_STATES)[number];

const NAME = { max: 120 };
const HYPOTHESIS = { max: 2_000 };
const CAMPAIGNS = { min: 1, max: 50 };
const PROVIDERS = { min: 0, max: 50 };
const PARTNERS = { min: 0, max: 200 };
const PARTNER_ID = { max: 128 };
const SHARE = { min: 0, max: 1 };
/** Sample size planning is undefined at either end. */
const PROBABILITY = { above: 0, below: 1 };
/** Below, the quantiles of the tests are beyond what a double tells from 1. */
export const ALPHA = { above: 1e-9, below: 1 };
const POSITIVE = { above: 0 };
const SALT = { max: 128 };
const WINDOW_DAYS = { min: 1, max: 90 };
const SESSIONS_PER_NETWORK = { min: 1, max: 1_000 };

/** Which touches make a session eligible; an absent list allows all. */
export class EligibilityBody {
  @Optional() @ListOf(matching(PROVIDER, PROVIDER_FORM), PROVIDERS) providers?: readonly string[] | null;
  @Optional() @ListOf(identifier(PARTNER_ID), PARTNERS) partner_ids?: readonly string[] | null;
}

/** Shares of the arms, which sum to 1. */
export class AllocationBody {
  @NumberWithin(SHARE) control!: number;
  @NumberWithin(SHARE) treatment!: number;
}

/** Body of `POST /partner-experiments`, and what an experiment is after a `PATCH` (interface page, section 7). */
export class ExperimentBody {
  @Matching(UUID, UUID_FORM) site_id!: string;
  @Name(NAME) name!: string;
  @Optional() @Text(HYPOTHESIS) hypothesis?: string | null;
  @OneOf(CAMPAIGN_TYPES) surface!: CampaignType;
  @ListOf(matching(UUID, UUID_FORM), CAMPAIGNS) campaign_ids!: readonly string[];
  @Optional() @Nested(() => EligibilityBody) eligibility?: EligibilityBody | null;
  @Optional() @NumberWithin(SHARE) traffic?: number | null;
  @Optional() @Nested(() => AllocationBody) allocation?: AllocationBody | null;
  @Optional() @OneOf(METRICS_OF_EXPERIMENT) primary_metric?: ExperimentMetric | null;
  @Optional() @NumberWithin(ALPHA) alpha?: number | null;
  @Optional() @NumberWithin(PROBABILITY) power?: number | null;
  @NumberWithin(POSITIVE) minimum_detectable_effect!: number;
  @NumberWithin(SHARE) baseline_rate!: number;
  @Optional() @WholeNumber(WINDOW_DAYS) attribution_window_days?: number | null;
}

/** A merchant's settings of an experiment, with defaults. */
export interface ExperimentFields {
  readonly site_id: string;
  readonly name: string;
  readonly hypothesis: string | null;
  readonly surface: CampaignType;
  /** Without repetitions, at least one. */
  readonly campaign_ids: readonly string[];
  /** An empty list restricts nothing. */
  readonly eligibility: { readonly providers: readonly string[]; readonly partner_ids: readonly string[] };
  /** 0–1. */
  readonly traffic: number;
  /** Sums to 1. */
  readonly allocation: { readonly control: number; readonly treatment: number };
  readonly primary_metric: ExperimentMetric;
  readonly alpha: number;
  readonly power: number;
  /** Relative to the baseline, above 0. */
  readonly minimum_detectable_effect: number;
  /** Expected conversion rate of the control arm, 0–1. */
  readonly baseline_rate: number;
  readonly attribution_window_days: number;
}

/** Who takes part; an empty list restricts nothing. */
export class Eligibility {
  @ListOf(matching(PROVIDER, PROVIDER_FORM), PROVIDERS) readonly providers!: readonly string[];
  @ListOf(identifier(PARTNER_ID), PARTNERS) readonly partner_ids!: readonly string[];
}

/**
 * Sessions that count nowhere in the results although they were assigned (interface page, section 7): all of a network that has
 * more of the experiment's sessions than this. Null excludes nobody.
 */
export class Exclusions {
  @OrNull() @WholeNumber(SESSIONS_PER_NETWORK) readonly sessions_per_network!: number | null;
}

/** Body of `PATCH /partner-experiments/{id}/exclusions`. */
export class ExclusionsBody {
  @Optional() @WholeNumber(SESSIONS_PER_NETWORK) sessions_per_network?: number | null;
}

/** An experiment as clients read it. */
export class ExperimentResource extends Resource implements ExperimentFields {
  @Matching(UUID, UUID_FORM) readonly workspace_id!: string;
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Name(NAME) readonly name!: string;
  @OrNull() @Text(HYPOTHESIS) readonly hypothesis!: string | null;
  @OneOf(CAMPAIGN_TYPES) readonly surface!: CampaignType;
  @ListOf(matching(UUID, UUID_FORM), CAMPAIGNS) readonly campaign_ids!: readonly string[];
  @Nested(() => Eligibility) readonly eligibility!: Eligibility;
  @NumberWithin(SHARE) readonly traffic!: number;
  @Nested(() => AllocationBody) readonly allocation!: AllocationBody;
  @OneOf(METRICS_OF_EXPERIMENT) readonly primary_metric!: ExperimentMetric;
  @NumberWithin(PROBABILITY) readonly alpha!: number;
  @NumberWithin(PROBABILITY) readonly power!: number;
  @NumberWithin(POSITIVE) readonly minimum_detectable_effect!: number;
  @NumberWithin(SHARE) readonly baseline_rate!: number;
  @WholeNumber(WINDOW_DAYS) readonly attribution_window_days!: number;
  /** May be changed in any state. */
  @Nested(() => Exclusions) readonly exclusions!: Exclusions;
  @OneOf(EXPERIMENT_STATES) readonly state!: ExperimentState;
  /** What assignment hashes with the session id (docs/experiments/assignment.md). */
  @NonEmptyText(SALT) readonly salt!: string;
  /** ISO 8601 UTC with milliseconds; null before it started. */
  @OrNull() @Timestamp() readonly started_at!: string | null;
  @OrNull() @Timestamp() readonly stopped_at!: string | null;
}

const validate = compileValidator(ExperimentBody, { unknownFields: 'refused-everywhere' });
const validateExclusions = compileValidator(ExclusionsBody, { unknownFields: 'refused' });

/** Every broken rule, or the exclusions in the body. */
export function readExclusions(body: unknown): BodyReading<Exclusions> {
  const violations = validateExclusions(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { sessions_per_network: most } = body as ExclusionsBody;
  return succeed({ sessions_per_network: most == null ? null : numberOf(most) });
}

/** Every broken rule, or the experiment in the body. */
export function readExperiment(body: unknown): BodyReading<ExperimentFields> {
  const violations = [...validate(body), ...(isJsonObject(body) ? checkTogether(body) : [])];
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const given = body as ExperimentBody;
  const { control, treatment } = given.allocation ?? EVEN;
  return succeed({
    site_id: given.site_id.toLowerCase(),
    name: toStoredContent(given.name),
    hypothesis: given.hypothesis == null ? null : toStoredContent(given.hypothesis),
    surface: given.surface,
    campaign_ids: given.campaign_ids.map((id) => id.toLowerCase()),
    eligibility: {
      providers: distinct(given.eligibility?.providers),
      partner_ids: distinct(given.eligibility?.partner_ids),
    },
    traffic: numberOr(given.traffic, 1),
    allocation: { control: numberOf(control), treatment: numberOf(treatment) },
    primary_metric: given.primary_metric ?? 'conversion',
    alpha: numberOr(given.alpha, DEFAULT_ALPHA),
    power: numberOr(given.power, DEFAULT_POWER),
    minimum_detectable_effect: numberOf(given.minimum_detectable_effect),
    baseline_rate: numberOf(given.baseline_rate),
    attribution_window_days: numberOr(given.attribution_window_days, DEFAULT_WINDOW_DAYS),
  });
}

/** The default probability of a false positive. */
export const DEFAULT_ALPHA = 0.05;
/** The default probability of detecting the minimum effect. */
export const DEFAULT_POWER = 0.8;
const DEFAULT_WINDOW_DAYS = 7;
const EVEN = { control: 0.5, treatment: 0.5 };
/** Rounding error of sums such as 0.1 + 0.9 in doubles. */
const SHARES_TOLERANCE = 1e-9;

function numberOr(given: number | null | undefined, instead: number): number {
  return given == null ? instead : numberOf(given);
}

function distinct(texts: readonly string[] | null | undefined): readonly string[] {
  return [...new Set(texts ?? [])];
}

/** Rules over several fields, each checked only where its own fields are valid. */
function checkTogether({ allocation, campaign_ids }: Readonly<Record<string, unknown>>): Violation[] {
  const violations: Violation[] = [];
  if (isJsonObject(allocation)) {
    const sum = numberIn(allocation['control']) + numberIn(allocation['treatment']);
    if (Math.abs(sum - 1) > SHARES_TOLERANCE)
      violations.push({ path: 'allocation', message: 'must have a control and a treatment that sum to 1' });
  }
  if (Array.isArray(campaign_ids)) {
    const seen = new Set<unknown>();
    for (const [index, id] of (campaign_ids as readonly unknown[]).entries()) {
      const name = typeof id === 'string' ? id.toLowerCase() : id;
      if (typeof name === 'string' && seen.has(name))
        violations.push({ path: `campaign_ids.${index}`, message: 'must not be named twice' });
      seen.add(name);
    }
  }
  return violations;
}

/**
 * NaN where it is not a number: its own rule has reported it, and comparisons with NaN report nothing more.
 */
function numberIn(value: unknown): number {
  return typeof value === 'number' || isRawNumber(value) ? numberOf(value) : Number.NaN;
}

/** Field errors of campaigns that do not belong to the site and surface, by their position in the list. */
export function campaignErrors(places: readonly number[]): FieldErrors {
  return Object.fromEntries(
    places.map((place) => [`campaign_ids.${place}`, ['must be a campaign of this site and surface']]),
  );
}
