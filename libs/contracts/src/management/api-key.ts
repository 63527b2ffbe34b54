import { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, formatInstant, numberOf, parseInstant, succeed, toStorableText } from '@truetally/kernel';
import { API_KEY_HASH_PATTERN, API_KEY_PATTERN, API_KEY_PREFIX_PATTERN } from '../credentials/api-key.js';
import { type Scope, SCOPES } from '../credentials/scopes.js';
import { recordCodec } from '../facts/record-codec.js';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import {
  ListOf,
  Matching,
  Name,
  Optional,
  OrNull,
  Timestamp,
  WholeNumber,
} from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { oneOf } from '../validation/rules.js';
import { HOURLY_LIMIT } from './site.js';

const NAME = { max: 120 };
const SCOPES_PER_KEY = { min: 1, max: SCOPES.length };
const DEFAULT_HOURLY_LIMIT = 1_000;
const OVERLAP_SECONDS = { min: 0, max: 604_800 };
const DEFAULT_OVERLAP_SECONDS = 3_600;

/** Body of `POST /sites/{id}/api-keys`, and what a key is after a `PATCH` (interface page, sections 2 and 9). */
export class ApiKeyBody {
  @Name(NAME) name!: string;
  @ListOf(oneOf(SCOPES), SCOPES_PER_KEY) scopes!: readonly Scope[];
  @Optional() @WholeNumber(HOURLY_LIMIT) hourly_limit?: number | null;
  @Optional() @Timestamp() expires_at?: string | null;
}

/** Body of `POST /sites/{id}/api-keys/{key_id}/rotate`. */
export class RotateApiKeyBody {
  @Optional() @WholeNumber(OVERLAP_SECONDS) overlap_seconds?: number | null;
}

/** Fields of an API key that a client sets. */
export interface ApiKeyFields {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Requests per clock hour (UTC). */
  readonly hourly_limit: number;
  /** In the future when it is set; null for a key that does not expire. */
  readonly expires_at: string | null;
}

/** Without the key and its hash. The gateway that minted the key adds it to the answer once. */
export class ApiKeyResource extends Resource implements ApiKeyFields {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @Name(NAME) readonly name!: string;
  @ListOf(oneOf(SCOPES), SCOPES_PER_KEY) readonly scopes!: readonly Scope[];
  @WholeNumber(HOURLY_LIMIT) readonly hourly_limit!: number;
  @OrNull() @Timestamp() readonly expires_at!: string | null;
  @Matching(API_KEY_PREFIX_PATTERN, 'the beginning of a key') readonly prefix!: string;
  @OrNull() @Timestamp() readonly revoked_at!: string | null;
  /** Up to a minute late (docs/decisions/api-keys.md); null for an unused key. */
  @OrNull() @Timestamp() readonly last_used_at!: string | null;
}

/** The only answer with the text of a new key; a repetition of the request is answered without it. */
export class NewApiKeyResource extends ApiKeyResource {
  @Optional() @Matching(API_KEY_PATTERN, 'an API key') readonly key?: string;
}

/** The body of a command that creates a key: the client's body, and what the gateway minted. */
export interface MintedBody {
  readonly fields: unknown;
  readonly prefix: string;
  readonly hash: string;
}

const validateKey = compileValidator(ApiKeyBody, { unknownFields: 'refused' });
const validateRotation = compileValidator(RotateApiKeyBody, { unknownFields: 'refused' });

/** Every broken rule, or the key in the body. @param mostPerHour what the operator permits; no default is above it */
export function readApiKey(body: unknown, nowMs: number, mostPerHour = Infinity): BodyReading<ApiKeyFields> {
  const violations = [...validateKey(body)];
  const { name, scopes, hourly_limit, expires_at = null } = (body ?? {}) as ApiKeyBody;
  const isTime = violations.every(({ path }) => path !== 'expires_at');
  const expiresAtMs =
    typeof expires_at === 'string' && isTime ? parseInstant(expires_at)?.epochMs : undefined;
  if (expiresAtMs !== undefined && expiresAtMs <= nowMs) {
    violations.push({ path: 'expires_at', message: 'must be in the future' });
  }
  if (violations.length > 0) return fail(toFieldErrors(violations));
  return succeed({
    name: toStorableText(name),
    scopes: [...new Set(scopes)],
    hourly_limit: numberOf(hourly_limit ?? Math.min(DEFAULT_HOURLY_LIMIT, mostPerHour)),
    expires_at: expiresAtMs === undefined ? null : formatInstant(expiresAtMs),
  });
}

/** How long both keys of a rotation are valid. */
export function readRotation(body: unknown): BodyReading<{ readonly overlap_seconds: number }> {
  const violations = validateRotation(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { overlap_seconds } = body as RotateApiKeyBody;
  return succeed({ overlap_seconds: numberOf(overlap_seconds ?? DEFAULT_OVERLAP_SECONDS) });
}

/** The body of commands that make a key. */
export const MINTED_BODY = recordCodec(
  (reader): MintedBody => ({
    fields: reader.anything('fields'),
    prefix: reader.text('prefix'),
    hash: reader.text('hash'),
  }),
  ({ prefix, hash }) => [
    ...(API_KEY_PREFIX_PATTERN.test(prefix) ? [] : ['prefix']),
    ...(API_KEY_HASH_PATTERN.test(hash) ? [] : ['hash']),
  ],
);
