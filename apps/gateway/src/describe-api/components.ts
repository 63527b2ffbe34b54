import { UUID_PATTERN } from '@truetally/contracts/validation';
import { FAILURES } from '@truetally/contracts/http';

type Json = Readonly<Record<string, unknown>>;

const REQUEST_ID = '^[A-Za-z0-9_-]{8,64}$';
const text = (more: Json = {}): Json => ({ type: 'string', ...more });
const count = { type: 'integer', minimum: 0 };
const header = (description: string, schema: Json): Json => ({ description, schema });

/** What answers may carry (interface page, sections 1 and 3). */
export const COMPONENT_HEADERS = {
  'X-Request-Id': header(
    'Names the request in logs; adopted when it is given.',
    text({ pattern: REQUEST_ID }),
  ),
  'X-RateLimit-Limit': header('Requests of this clock hour.', count),
  'X-RateLimit-Remaining': header('What is left of them.', count),
  'X-RateLimit-Reset': header('When the hour ends, in Unix seconds.', count),
  'Retry-After': header('Seconds.', count),
  ETag: header("A resource's version, or a digest of what pages cache.", text()),
  'Idempotent-Replayed': header(
    'This is the answer of an earlier request with the same key.',
    text({ const: 'true' }),
  ),
  'Content-Disposition': header('The name of the file.', text()),
  'WWW-Authenticate': header('How to authenticate (RFC 9110).', text()),
} as const;

export type HeaderName = keyof typeof COMPONENT_HEADERS;
export const RATE_LIMIT_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
] as const;

export function headersOf(names: readonly HeaderName[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const inHeader = (name: string, description: string, schema: Json, required = false): Json => ({
  name,
  in: 'header',
  description,
  required,
  schema,
});

/** What requests may carry (interface page, sections 1, 2 and 11). */
export const COMPONENT_PARAMETERS = {
  'X-Request-Id': inHeader('X-Request-Id', 'Adopted when it has this form, else replaced.', text()),
  'Idempotency-Key': inHeader(
    'Idempotency-Key',
    'The same key and body within 24 hours gets the first answer; another body, or one still under way, 409.',
    text({ minLength: 1, maxLength: 255 }),
  ),
  'If-Match': inHeader(
    'If-Match',
    'The version that was read, in quotes, or `*`; a stale one is 409.',
    text({ pattern: '^(\\*|"\\d+")$' }),
  ),
  'If-None-Match': inHeader('If-None-Match', 'The tag of a cached answer: the same one is 304.', text()),
  'Last-Event-ID': inHeader(
    'Last-Event-ID',
    'Of a stream: the id of the last frame that was received; it goes on behind it within 10 minutes.',
    text(),
  ),
  'X-Workspace-Id': inHeader(
    'X-Workspace-Id',
    'Required of a member of several workspaces.',
    text({ pattern: UUID_PATTERN }),
  ),
  Origin: inHeader('Origin', 'As browsers send it: one that the site lists.', text(), true),
  'webhook-id': inHeader('webhook-id', 'Taken once.', text({ minLength: 1, maxLength: 255 }), true),
  'webhook-timestamp': inHeader('webhook-timestamp', 'Unix seconds; five minutes off is 401.', text(), true),
} as const;

export type ParameterName = keyof typeof COMPONENT_PARAMETERS;

export function parameterOf(name: ParameterName): Json {
  return { $ref: `#/components/parameters/${name}` };
}

export const SECURITY_SCHEMES = {
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: "A site's backend." },
  runtimeToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A page at an origin that its site lists; from `POST /api/v1/runtime/tokens`.',
  },
  idToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A member of a workspace: an ID token of the OpenID Connect provider.',
  },
  adminSecret: { type: 'http', scheme: 'bearer', description: "The platform's operators, never a browser." },
  workerSignature: {
    type: 'apiKey',
    in: 'header',
    name: 'webhook-signature',
    description: 'Standard Webhooks: `v1,` and the HMAC-SHA-256 over id, time and body.',
  },
} as const;

const TOO_LARGE = 413;
const UNSUPPORTED_TYPE = 415;
const UNAUTHORIZED = 401;
const TOO_MANY = 429;
const UNAVAILABLE = 503;

/** Refusals without a failure of a service, or with more reasons than that. */
const EDGE_REFUSALS: Readonly<Record<number, string>> = {
  [TOO_LARGE]: 'BAD_REQUEST: the body is larger than this route accepts.',
  [UNSUPPORTED_TYPE]: 'BAD_REQUEST: the body is of a type or an encoding that this route does not take.',
  [UNAVAILABLE]:
    'INTERNAL_ERROR: not now, or as many requests of the workspace wait for their turn as may wait.',
};

/** One response per status of a refusal. */
export function refusalComponents(): Json {
  const codes = new Map<number, Set<string>>();
  for (const { status, code } of Object.values(FAILURES)) {
    codes.set(status, (codes.get(status) ?? new Set()).add(code));
  }
  const described = [...codes].map(([status, names]) => [status, [...names].join(' or ')] as const);
  const all = [
    ...described,
    ...Object.entries(EDGE_REFUSALS).map(([status, words]) => [Number(status), words] as const),
  ];
  return Object.fromEntries(
    all
      .toSorted(([one], [other]) => one - other)
      .map(([status, words]) => [`Refusal${status}`, refusal(status, words)]),
  );
}

export function refusalReference(status: number): Json {
  return { $ref: `#/components/responses/Refusal${status}` };
}

function refusal(status: number, description: string): Json {
  const names: HeaderName[] = ['X-Request-Id'];
  if (status === UNAUTHORIZED) names.push('WWW-Authenticate');
  // Any other refusal may come after the hourly limit was asked.
  if (status !== UNAUTHORIZED) names.push(...RATE_LIMIT_HEADERS);
  if (status === TOO_MANY || status === UNAVAILABLE) names.push('Retry-After');
  return {
    description,
    headers: headersOf(names),
    content: { 'application/json': { schema: { $ref: '#/components/schemas/ErrorEnvelope' } } },
  };
}
