import { fail, succeed, toStorableJson, toStorableText } from '@truetally/kernel';
import type { BodyReading } from '../resource/request.js';
import { Resource } from '../resource/resource.js';
import {
  BODY_PATH,
  compileValidator,
  toFieldErrors,
  type Violation,
} from '../validation/compile-validator.js';
import {
  Identifier,
  JsonObject,
  ListOfAnything,
  Matching,
  Name,
  Optional,
} from '../validation/decorators.js';
import { OrNull, Readable } from '../validation/decorators.js';
import { DROPPED_NAMES, TRUST_NAMES } from '../validation/dropped-names.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { identifier, matching } from '../validation/rules.js';
import { isJsonObject } from '../validation/shape.js';
import { EMAIL_FORM, normaliseEmail } from './email.js';
import { objectFaults } from './product-attributes.js';

/** As in events (interface page, section 4). */
const USER_ID = { max: 128 };
const NAME = { max: 256 };
const PHONE = { max: 64 };
const LANGUAGE = { max: 35 };
const EMAIL = { max: 254 };
const SIZES = { maxBytes: 4 * 1_024, maxNesting: 8 };
const MAX_ROW_BYTES = 5 * 1_024;
/** Of one import. */
export const IMPORTED_PROFILES = { min: 1, max: 1_000 };
const NOT_STORED: ReadonlySet<string> = new Set([...DROPPED_NAMES, ...TRUST_NAMES]);

/** Fields that are one text; null clears them. */
export const PROFILE_TEXTS = ['email', 'phone', 'name', 'first_name', 'last_name', 'language'] as const;
type TextField = (typeof PROFILE_TEXTS)[number];
type Attributes = Readonly<Record<string, unknown>>;

/** One profile of an import: what it names is merged into the stored profile of `user_id`. */
export class ProfileBody {
  @Identifier(USER_ID) user_id!: string;
  @Optional() @Readable(normaliseEmail, EMAIL_FORM, 'email') email?: string | null;
  @Optional() @Name(PHONE) phone?: string | null;
  @Optional() @Name(NAME) name?: string | null;
  @Optional() @Name(NAME) first_name?: string | null;
  @Optional() @Name(NAME) last_name?: string | null;
  @Optional() @Name(LANGUAGE) language?: string | null;
  @Optional() @JsonObject() attributes?: Attributes | null;
}

/** Body of `POST /profiles/import` (interface page, section 9). Each profile is judged by itself, in the job. */
export class ProfilesImportBody {
  @ListOfAnything(IMPORTED_PROFILES, () => ProfileBody) profiles!: readonly unknown[];
}

/** The fields of a profile besides the person's id. */
export type ProfileFields = Readonly<Record<TextField, string | null>> & { readonly attributes: Attributes };

/** One row of an import: a field that it does not name is kept, and null clears one (RFC 7396). */
export type ProfilePatch = { readonly user_id: string } & Partial<
  Readonly<Record<TextField, string | null>> & { readonly attributes: Attributes | null }
>;

/** A profile as clients read it. */
export class ProfileResource extends Resource implements ProfileFields {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Identifier(USER_ID) readonly user_id!: string;
  @OrNull() @Readable(normaliseEmail, EMAIL_FORM, 'email') readonly email!: string | null;
  @OrNull() @Name(PHONE) readonly phone!: string | null;
  @OrNull() @Name(NAME) readonly name!: string | null;
  @OrNull() @Name(NAME) readonly first_name!: string | null;
  @OrNull() @Name(NAME) readonly last_name!: string | null;
  @OrNull() @Name(LANGUAGE) readonly language!: string | null;
  @JsonObject() readonly attributes!: Attributes;
}

/** Filters of a list of profiles, and of their export. */
export const PROFILE_FILTERS = {
  site_id: matching(UUID, UUID_FORM),
  user_id: identifier(USER_ID),
  email: identifier(EMAIL),
} as const;

const validate = compileValidator(ProfileBody, { unknownFields: 'refused' });
const validateImport = compileValidator(ProfilesImportBody, { unknownFields: 'refused' });

/** Every broken rule of the envelope, or its rows, each not yet judged. */
export function readProfilesImport(body: unknown): BodyReading<readonly unknown[]> {
  const violations = validateImport(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  return succeed((body as ProfilesImportBody).profiles);
}

/** Every broken rule of one row, or its canonical patch. */
export function readProfilePatch(row: unknown): BodyReading<ProfilePatch> {
  const violations = [...validate(row), ...sizeFaults(row)];
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const body = row as ProfileBody;
  const patch: Record<string, unknown> = { user_id: body.user_id };
  for (const field of PROFILE_TEXTS) {
    const text = body[field];
    if (text === undefined) continue;
    patch[field] = text === null ? null : canonical(field, text);
  }
  const { attributes } = body;
  if (attributes !== undefined) {
    patch['attributes'] = attributes === null ? null : toStorableJson(attributes, NOT_STORED);
  }
  return succeed(patch as unknown as ProfilePatch);
}

/** What `attributes` break that result from a merge. */
export function profileAttributeFaults(attributes: Attributes): readonly string[] {
  return objectFaults(attributes, SIZES);
}

/** Bounds the whole row, so that an import fits into one message. */
function sizeFaults(row: unknown): readonly Violation[] {
  if (!isJsonObject(row)) return [];
  const { attributes } = row;
  const messages = isJsonObject(attributes) ? profileAttributeFaults(attributes) : [];
  const faults = messages.map((message) => ({ path: 'attributes', message }));
  if (Buffer.byteLength(JSON.stringify(row)) <= MAX_ROW_BYTES) return faults;
  return [...faults, { path: BODY_PATH, message: `must be at most ${MAX_ROW_BYTES} bytes as JSON` }];
}

function canonical(field: TextField, text: string): string {
  return field === 'email' ? (normaliseEmail(text) ?? text) : toStorableText(text);
}
