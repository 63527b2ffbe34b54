import { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, succeed, toStorableText } from '@truetally/kernel';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import {
  Identifier,
  Matching,
  Nested,
  NonEmptyText,
  OneOf,
  Optional,
  OrNull,
  Readable,
  Timestamp,
} from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { isAbsoluteHttpUrl } from '../validation/http-url.js';
import { matching, oneOf } from '../validation/rules.js';
import { isJsonObject } from '../validation/shape.js';

/** Partner networks that an integration can connect to. */
export const INTEGRATION_PROVIDERS = ['awin', 'cj'] as const;
/** One of `INTEGRATION_PROVIDERS`. */
export type IntegrationProvider = (typeof INTEGRATION_PROVIDERS)[number];

/** `pending` before the first pull with these settings, `failing` while the network refuses them. */
export type IntegrationStatus = (typeof INTEGRATION_STATUSES)[number];
const INTEGRATION_STATUSES = ['pending', 'connected', 'failing'] as const;

const PUBLISHER_ID = { max: 128 };
/** Longer than any stored reason. */
const REASON = { max: 2_000 };
const API_TOKEN = { max: 1_024 };
const MAX_URL_LENGTH = 2_048;
const BASE_URL_FORM = `an absolute http(s) URL of at most ${MAX_URL_LENGTH} characters, without user, query or fragment`;

export class IntegrationCredentialsBody {
  @Identifier(PUBLISHER_ID) publisher_id!: string;
  @Identifier(API_TOKEN) api_token!: string;
}

/** Body of `POST /integrations`, and what an integration is after a `PATCH` (interface page, section 9). */
export class IntegrationBody {
  @Matching(UUID, UUID_FORM) site_id!: string;
  @OneOf(INTEGRATION_PROVIDERS) provider!: IntegrationProvider;
  @Nested(() => IntegrationCredentialsBody) credentials!: IntegrationCredentialsBody;
  @Optional() @Readable(readBaseUrl, BASE_URL_FORM, 'base-url') base_url?: string | null;
}

/**
 * Credentials of a merchant's account at a network. They leave the gateway sealed, and no answer contains
 * them.
 */
export interface IntegrationCredentials {
  readonly publisher_id: string;
  readonly api_token: string;
}

/** A merchant's settings of an integration. */
export interface IntegrationFields {
  readonly site_id: string;
  readonly provider: IntegrationProvider;
  readonly credentials: IntegrationCredentials;
  /** The network's API; null for its default address. */
  readonly base_url: string | null;
}

/** An integration as clients read it: without its credentials. */
export class IntegrationResource extends Resource implements Omit<IntegrationFields, 'credentials'> {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @OneOf(INTEGRATION_PROVIDERS) readonly provider!: IntegrationProvider;
  @OrNull() @Readable(readBaseUrl, BASE_URL_FORM, 'base-url') readonly base_url!: string | null;
  @OneOf(INTEGRATION_STATUSES) readonly status!: IntegrationStatus;
  /** ISO 8601 UTC with milliseconds; null before the first pull. */
  @OrNull() @Timestamp() readonly last_sync_at!: string | null;
  /** Why the last pull failed, in plain words; null when it succeeded. */
  @OrNull() @NonEmptyText(REASON) readonly last_error!: string | null;
}

/** Filters of a list of integrations. */
export const INTEGRATION_FILTERS = {
  site_id: matching(UUID, UUID_FORM),
  provider: oneOf(INTEGRATION_PROVIDERS),
} as const;

const validate = compileValidator(IntegrationBody, { unknownFields: 'refused' });

/** Every broken rule, or the integration in the body. */
export function readIntegration(body: unknown): BodyReading<IntegrationFields> {
  const violations = validate(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { site_id, provider, credentials, base_url } = body as IntegrationBody;
  const { publisher_id, api_token } = credentials;
  return succeed({
    site_id: site_id.toLowerCase(),
    provider,
    credentials: { publisher_id, api_token },
    base_url: base_url === undefined || base_url === null ? null : toStorableText(base_url),
  });
}

/** Replaces fields that a `PATCH` omits: no rule of one field reads another. */
const UNNAMED: IntegrationFields = {
  site_id: '00000000-0000-0000-0000-000000000000',
  provider: 'awin',
  credentials: { publisher_id: '-', api_token: '-' },
  base_url: null,
};

/**
 * The fields that a `PATCH` names, canonical. Credentials are replaced as a whole, because stored ones cannot
 * be read.
 */
export function readIntegrationPatch(body: unknown): BodyReading<Partial<IntegrationFields>> {
  if (!isJsonObject(body)) return fail(toFieldErrors(validate(body)));
  const fields = readIntegration({ ...UNNAMED, ...body });
  if (!fields.ok) return fields;
  return succeed(
    Object.fromEntries(Object.entries(fields.value).filter(([name]) => Object.hasOwn(body, name))),
  );
}

/**
 * A URL prefix. It is answered and logged, so that any part that could hold a secret (all but the path) is
 * refused.
 */
function readBaseUrl(text: string): string | undefined {
  const isPlain = text.length <= MAX_URL_LENGTH && !/[?#@]/.test(text);
  return isPlain && isAbsoluteHttpUrl(text) ? text : undefined;
}
