import {
  DAY_MS,
  fail,
  formatInstant,
  parseInstant,
  succeed,
  toStorableJson,
  toStorableText,
} from '@truetally/kernel';
import type { BodyReading } from '../resource/request.js';
import { Resource } from '../resource/resource.js';
import { compileValidator, toFieldErrors, type Violation } from '../validation/compile-validator.js';
import {
  Flag,
  Identifier,
  JsonObject,
  Matching,
  Nested,
  NonEmptyText,
  Optional,
} from '../validation/decorators.js';
import { ListOf, OrNull, Timestamp } from '../validation/decorators.js';
import { DROPPED_NAMES, TRUST_NAMES } from '../validation/dropped-names.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { identifier, matching, text } from '../validation/rules.js';
import { isJsonObject } from '../validation/shape.js';
import { objectFaults } from './product-attributes.js';

const SESSION_ID = { max: 128 };
const CONSENT_TEXT = { max: 4_000 };
const FIELDS = { maxBytes: 16 * 1_024, maxNesting: 4 };
const MAX_FIELDS = 100;
const FIELD_NAMES = { min: 0, max: 1_000 };
const MAX_FIELD_NAME_CHARACTERS = 128;
const CURSOR = { max: 512 };
const FIELD_NAME = { max: MAX_FIELD_NAME_CHARACTERS };
const NOT_STORED: ReadonlySet<string> = new Set([...DROPPED_NAMES, ...TRUST_NAMES]);

export class ConsentBody {
  @Flag() granted!: boolean;
  /** What the visitor agreed to, as it was shown. */
  @Optional() @NonEmptyText(CONSENT_TEXT) text?: string | null;
  /** When; the time of receipt by default. */
  @Optional() @Timestamp() at?: string | null;
}

/** Body of `POST /submissions` (interface page, section 9). Unknown fields are ignored. */
export class SubmissionBody {
  @Matching(UUID, UUID_FORM) campaign_id!: string;
  @Identifier(SESSION_ID) session_id!: string;
  @JsonObject() fields!: Readonly<Record<string, unknown>>;
  @Nested(() => ConsentBody) consent!: ConsentBody;
}

/** The consent under which a submission was sent. */
export class Consent {
  @Flag() readonly granted!: boolean;
  @OrNull() @NonEmptyText(CONSENT_TEXT) readonly text!: string | null;
  @Timestamp() readonly at!: string;
}

/** A visitor's answers to a campaign, canonical. */
export interface SubmissionFields {
  readonly campaign_id: string;
  readonly session_id: string;
  /** As received: numbers that a double would change are `RawNumber`s. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly consent: Consent;
}

/** A submission as clients read it. It is never changed. */
export class SubmissionResource extends Resource implements SubmissionFields {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Matching(UUID, UUID_FORM) readonly campaign_id!: string;
  @Identifier(SESSION_ID) readonly session_id!: string;
  @JsonObject() readonly fields!: Readonly<Record<string, unknown>>;
  @Nested(() => Consent) readonly consent!: Consent;
}

/** The reply to `create-submission`: nothing of what was sent, because replies are kept. */
export class StoredSubmission extends Resource {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Matching(UUID, UUID_FORM) readonly campaign_id!: string;
}

/** The names of the fields that some of the submissions have, newest first. */
export class SubmissionFieldNames {
  @ListOf(text(FIELD_NAME), FIELD_NAMES) readonly fields!: readonly string[];
  @OrNull() @NonEmptyText(CURSOR) readonly next_cursor!: string | null;
}

/** Filters of a list of submissions, and of their export. */
export const SUBMISSION_FILTERS = {
  site_id: matching(UUID, UUID_FORM),
  campaign_id: matching(UUID, UUID_FORM),
  session_id: identifier(SESSION_ID),
} as const;

const validate = compileValidator(SubmissionBody);

/** Every broken rule, or the submission in the body. @param nowMs the time of receipt */
export function readSubmission(body: unknown, nowMs: number): BodyReading<SubmissionFields> {
  const violations = [...validate(body), ...faultsOf(body, nowMs)];
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { campaign_id, session_id, fields, consent } = body as SubmissionBody;
  const { text: wording, at } = consent;
  return succeed({
    campaign_id: campaign_id.toLowerCase(),
    session_id,
    fields: toStorableJson(fields, NOT_STORED) as Readonly<Record<string, unknown>>,
    consent: {
      granted: true,
      text: wording === undefined || wording === null ? null : toStorableText(wording),
      at: formatInstant(instantOf(at) ?? nowMs),
    },
  });
}

/** Rules over more than one field's form. */
function faultsOf(body: unknown, nowMs: number): readonly Violation[] {
  if (!isJsonObject(body)) return [];
  const { fields, consent } = body;
  return [...fieldFaults(fields), ...consentFaults(consent, nowMs)];
}

function fieldFaults(fields: unknown): readonly Violation[] {
  if (!isJsonObject(fields)) return [];
  const names = Object.keys(fields);
  const messages = [...objectFaults(fields, FIELDS)];
  if (names.length === 0) messages.push('must not be empty');
  if (names.length > MAX_FIELDS) messages.push(`must have at most ${MAX_FIELDS} members`);
  if (names.some((name) => [...name].length > MAX_FIELD_NAME_CHARACTERS)) {
    messages.push(`must have names of at most ${MAX_FIELD_NAME_CHARACTERS} characters`);
  }
  return messages.map((message) => ({ path: 'fields', message }));
}

/** Without consent nothing is stored. */
function consentFaults(consent: unknown, nowMs: number): readonly Violation[] {
  if (!isJsonObject(consent)) return [];
  const { granted, at } = consent;
  const faults: Violation[] = [];
  if (granted === false) faults.push({ path: 'consent.granted', message: 'must be true' });
  const atMs = instantOf(at);
  if (atMs !== undefined && atMs > nowMs + DAY_MS) {
    faults.push({ path: 'consent.at', message: 'must not be more than 24 hours ahead' });
  }
  return faults;
}

function instantOf(at: unknown): number | undefined {
  return typeof at === 'string' ? parseInstant(at)?.epochMs : undefined;
}
