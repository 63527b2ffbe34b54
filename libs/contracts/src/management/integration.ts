import type { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, succeed, toStorableText } from '@truetally/kernel';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import { Identifier, Matching, Nested, OneOf, Optional, Readable } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { isAbsoluteHttpUrl } from '../validation/http-url.js';
import { matching, oneOf } from '../validation/rules.js';
import { isJsonObject } from '../validation/shape.js';

export const INTEGRATION_PROVIDERS = ['awin', 'cj'] as const;
export type IntegrationProvider = (typeof INTEGRATION_PROVIDERS)[number];

/** `pending` until something was pulled with these settings, `failing` while the network refuses them. */
export type IntegrationStatus = 'pending' | 'connected' | 'failing';

const PUBLISHER_ID = { max: 128 };
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

/** What opens a merchant's account at a network. It leaves the gateway sealed, and is never answered. */
export interface IntegrationCredentials {
  readonly publisher_id: string;
  readonly api_token: string;
}

/** What a merchant says of an integration. */
export interface IntegrationFields {
  readonly site_id: string;
  readonly provider: IntegrationProvider;
  readonly credentials: IntegrationCredentials;
  /** Where the network's interface is; null for its usual address. */
  readonly base_url: string | null;
}

export interface IntegrationResource extends Resource, Omit<IntegrationFields, 'credentials'> {
  readonly status: IntegrationStatus;
  /** ISO 8601 UTC with milliseconds; null before the first pull. */
  readonly last_sync_at: string | null;
  /** Why the last pull came to nothing, in plain words; null when it did not. */
  readonly last_error: string | null;
}

/** What a list of integrations can be narrowed by. */
export const INTEGRATION_FILTERS = {
  site_id: matching(UUID, UUID_FORM),
  provider: oneOf(INTEGRATION_PROVIDERS),
} as const;

const validate = compileValidator(IntegrationBody, { unknownFields: 'refused' });

/** Every broken rule at once, or the integration that the body says. */
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

/** Stands for what a `PATCH` does not name: no rule of one field looks at another. */
const UNNAMED: IntegrationFields = {
  site_id: '00000000-0000-0000-0000-000000000000',
  provider: 'awin',
  credentials: { publisher_id: '-', api_token: '-' },
  base_url: null,
};

/** The fields that a `PATCH` names, in their one spelling. Credentials are replaced whole: nobody can read the rest. */
export function readIntegrationPatch(body: unknown): BodyReading<Partial<IntegrationFields>> {
  if (!isJsonObject(body)) return fail(toFieldErrors(validate(body)));
  const fields = readIntegration({ ...UNNAMED, ...body });
  if (!fields.ok) return fields;
  return succeed(
    Object.fromEntries(Object.entries(fields.value).filter(([name]) => Object.hasOwn(body, name))),
  );
}

/** A prefix of addresses: whatever could hold a secret besides the path is refused, because it is answered and logged. */
function readBaseUrl(text: string): string | undefined {
  const isPlain = text.length <= MAX_URL_LENGTH && !/[?#@]/.test(text);
  return isPlain && isAbsoluteHttpUrl(text) ? text : undefined;
}
