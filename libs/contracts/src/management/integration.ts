import { Resource } from '../resource/resource.js';
import type { BodyReading } from '../resource/request.js';
import { fail, type FieldErrors, succeed } from '@truetally/kernel';
import { compileValidator, toFieldErrors } from '../validation/compile-validator.js';
import {
  Identifier,
  Matching,
  Nested,
  NestedByKind,
  NonEmptyText,
  OneOf,
  Optional,
  OrNull,
  Readable,
  Timestamp,
} from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';
import { MAX_PLAIN_URL, plainUrlOf, toAsciiUrl } from '../validation/http-url.js';
import { matching, oneOf } from '../validation/rules.js';
import { isJsonObject, textShapeOf } from '../validation/shape.js';

/** Partner networks whose settlements are pulled. */
export const NETWORK_PROVIDERS = ['awin', 'cj'] as const;
/** One of `NETWORK_PROVIDERS`. */
export type NetworkProvider = (typeof NETWORK_PROVIDERS)[number];
/** The provider of an integration that reads a merchant's own product feed. */
export const PRODUCT_FEED = 'product_feed';
/** What an integration can connect to. */
export const INTEGRATION_PROVIDERS = [...NETWORK_PROVIDERS, PRODUCT_FEED] as const;
/** One of `INTEGRATION_PROVIDERS`. */
export type IntegrationProvider = (typeof INTEGRATION_PROVIDERS)[number];

/** `pending` before the first pull with these settings, `failing` while they do not work. */
export type IntegrationStatus = (typeof INTEGRATION_STATUSES)[number];
const INTEGRATION_STATUSES = ['pending', 'connected', 'failing'] as const;

const PUBLISHER_ID = { max: 128 };
/** Longer than any stored reason. */
const REASON = { max: 2_000 };
const API_TOKEN = { max: 1_024 };
const BASE_URL_FORM = `an absolute http(s) URL of at most ${MAX_PLAIN_URL} characters, without user, query or fragment`;
const FEED_URL_FORM = `an absolute http(s) URL of at most ${MAX_PLAIN_URL} characters, without user or fragment`;
/** Basic credentials: a user name has no colon (RFC 7617), neither has control characters. */
const USERNAME = /^(?:[^:\u0000-\u001f\u007f-\u009f\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff]){1,256}$/;
const USERNAME_FORM = 'a text of 1 to 256 characters, without a colon or control characters';
const PASSWORD = /^(?:[^\u0000-\u001f\u007f-\u009f\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff]){1,1024}$/;
const PASSWORD_FORM = 'a text of 1 to 1024 characters, without control characters';

/** `credentials` of a partner network. */
export class NetworkCredentialsBody {
  @Identifier(PUBLISHER_ID) publisher_id!: string;
  @Identifier(API_TOKEN) api_token!: string;
}

/** `credentials` of a product feed: sent as Basic where one of them is there. */
export class FeedCredentialsBody {
  @Optional() @Matching(USERNAME, USERNAME_FORM) username?: string | null;
  @Optional() @Matching(PASSWORD, PASSWORD_FORM) password?: string | null;
}

const CREDENTIALS_BY_PROVIDER = {
  awin: () => NetworkCredentialsBody,
  cj: () => NetworkCredentialsBody,
  [PRODUCT_FEED]: () => FeedCredentialsBody,
};

/** Body of `POST /integrations`, and what an integration is after a `PATCH` (interface page, section 9). */
export class IntegrationBody {
  @Matching(UUID, UUID_FORM) site_id!: string;
  @OneOf(INTEGRATION_PROVIDERS) provider!: IntegrationProvider;
  /** Of a product feed they may be left out. */
  @NestedByKind('provider', CREDENTIALS_BY_PROVIDER)
  credentials!: FeedCredentialsBody | NetworkCredentialsBody;
  /** Of a product feed it is required: the feed's own address, whose query members read, and nothing logs. */
  @Optional() @Readable(plainUrlOf, FEED_URL_FORM, 'feed-url') base_url?: string | null;
}

/** One of a network, or of no known provider. */
class NetworkBody {
  @Matching(UUID, UUID_FORM) site_id!: string;
  @OneOf(INTEGRATION_PROVIDERS) provider!: NetworkProvider;
  @Nested(() => NetworkCredentialsBody) credentials!: NetworkCredentialsBody;
  @Optional() @Readable(readBaseUrl, BASE_URL_FORM, 'base-url') base_url?: string | null;
}

class FeedBody {
  @Matching(UUID, UUID_FORM) site_id!: string;
  @OneOf([PRODUCT_FEED]) provider!: typeof PRODUCT_FEED;
  @Optional() @Nested(() => FeedCredentialsBody) credentials?: FeedCredentialsBody | null;
  @Readable(plainUrlOf, FEED_URL_FORM, 'feed-url') base_url!: string;
}

/** Credentials of a merchant's account at a network. They leave the gateway sealed, and no answer contains them. */
export interface NetworkCredentials {
  readonly publisher_id: string;
  readonly api_token: string;
}

/** Basic credentials of a product feed; both null for a public one. Handled as those of a network. */
export interface FeedCredentials {
  readonly username: string | null;
  readonly password: string | null;
}

export type IntegrationCredentials = FeedCredentials | NetworkCredentials;

/** A merchant's settings of an integration. */
export interface IntegrationFields {
  readonly site_id: string;
  readonly provider: IntegrationProvider;
  readonly credentials: IntegrationCredentials;
  /** The network's API, null for its default address; or the feed's own address. */
  readonly base_url: string | null;
}

/** An integration as clients read it: without its credentials. */
export class IntegrationResource extends Resource implements Omit<IntegrationFields, 'credentials'> {
  @Matching(UUID, UUID_FORM) readonly site_id!: string;
  @OneOf(INTEGRATION_PROVIDERS) readonly provider!: IntegrationProvider;
  @OrNull() @Readable(plainUrlOf, FEED_URL_FORM, 'feed-url') readonly base_url!: string | null;
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

const validateNetwork = compileValidator(NetworkBody, { unknownFields: 'refused' });
const validateFeed = compileValidator(FeedBody, { unknownFields: 'refused' });

/** Every broken rule, or the integration in the body. */
export function readIntegration(body: unknown): BodyReading<IntegrationFields> {
  return isOfFeed(body) ? readFeed(body) : readNetwork(body);
}

function isOfFeed(body: unknown): boolean {
  return isJsonObject(body) && body['provider'] === PRODUCT_FEED;
}

function readNetwork(body: unknown): BodyReading<IntegrationFields> {
  const violations = validateNetwork(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { site_id, provider, credentials, base_url } = body as NetworkBody;
  const { publisher_id, api_token, ...others } = credentials;
  if (Object.keys(others).length > 0) return fail(othersThan('publisher_id', 'api_token'));
  return succeed({
    site_id: site_id.toLowerCase(),
    provider,
    credentials: { publisher_id, api_token },
    base_url: base_url === undefined || base_url === null ? null : toAsciiUrl(base_url),
  });
}

function readFeed(body: unknown): BodyReading<IntegrationFields> {
  const violations = validateFeed(body);
  if (violations.length > 0) return fail(toFieldErrors(violations));
  const { site_id, provider, credentials, base_url } = body as FeedBody;
  const { username = null, password = null, ...others } = credentials ?? {};
  if (Object.keys(others).length > 0) return fail(othersThan('username', 'password'));
  return succeed({
    site_id: site_id.toLowerCase(),
    provider,
    credentials: { username, password },
    base_url: toAsciiUrl(base_url),
  });
}

/** Their names are not told: in a wrong body a secret could be anywhere. */
function othersThan(...names: readonly string[]): FieldErrors {
  return { credentials: [`must have no members but ${names.join(' and ')}`] };
}

/** Replaces fields that a `PATCH` omits: no rule of one field reads another. */
const UNNAMED_NETWORK = {
  site_id: '00000000-0000-0000-0000-000000000000',
  provider: 'awin',
  credentials: { publisher_id: '-', api_token: '-' },
  base_url: null,
} as const;
const UNNAMED_FEED = {
  ...UNNAMED_NETWORK,
  provider: PRODUCT_FEED,
  credentials: {},
  base_url: 'https://shop.example/',
} as const;

/**
 * The fields that a `PATCH` names, canonical. Credentials are replaced as a whole, because stored ones cannot
 * be read. Whose they are, their form says: the provider of the stored integration is management's to compare
 * (`integrationFaults`).
 */
export function readIntegrationPatch(body: unknown): BodyReading<Partial<IntegrationFields>> {
  if (!isJsonObject(body)) return fail(toFieldErrors(validateNetwork(body)));
  const unnamed = looksLikeFeed(body) ? UNNAMED_FEED : UNNAMED_NETWORK;
  const fields = readIntegration({ ...unnamed, ...body });
  if (!fields.ok) return fields;
  return succeed(
    Object.fromEntries(Object.entries(fields.value).filter(([name]) => Object.hasOwn(body, name))),
  );
}

/**
 * Only by what the patch itself names. The query of an address may be a secret: where nothing says that it is a
 * feed's, it is refused before it is written anywhere.
 */
function looksLikeFeed({ provider, credentials }: Readonly<Record<string, unknown>>): boolean {
  if (provider !== undefined) return provider === PRODUCT_FEED;
  if (!isJsonObject(credentials)) return false;
  return Object.keys(credentials).every((name) => name === 'username' || name === 'password');
}

/** What a changed integration breaks of the rules that depend on its provider. */
export function integrationFaults(
  provider: IntegrationProvider,
  {
    base_url: baseUrl,
    credentialsOf,
  }: { readonly base_url: string | null; readonly credentialsOf: CredentialsForm | undefined },
): FieldErrors {
  const isFeed = provider === PRODUCT_FEED;
  const url = urlFault(isFeed, baseUrl);
  const isForeign = credentialsOf !== undefined && (credentialsOf === PRODUCT_FEED) !== isFeed;
  return {
    ...(url === undefined ? {} : { base_url: [url] }),
    ...(isForeign ? { credentials: [`must be those of ${provider}`] } : {}),
  };
}

/** Whose credentials a patch has. */
export type CredentialsForm = 'network' | typeof PRODUCT_FEED;

/** By their members. */
export function formOfCredentials(credentials: IntegrationCredentials): CredentialsForm {
  return 'publisher_id' in credentials ? 'network' : PRODUCT_FEED;
}

function urlFault(isFeed: boolean, url: string | null): string | undefined {
  if (url === null) return isFeed ? `must be ${FEED_URL_FORM}; got nothing` : undefined;
  if (isFeed) return undefined;
  return readBaseUrl(url) === undefined ? `must be ${BASE_URL_FORM}; got ${textShapeOf(url)}` : undefined;
}

/**
 * A URL prefix. It is answered and logged, so that any part that could hold a secret (all but the path) is
 * refused.
 */
function readBaseUrl(text: string): string | undefined {
  return text.includes('?') ? undefined : plainUrlOf(text);
}
