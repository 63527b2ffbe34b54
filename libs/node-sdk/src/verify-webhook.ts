import { createHmac, timingSafeEqual } from 'node:crypto';
import { membersOf } from './transport.js';

/** Headers as Node's `request.headers`, a `Headers`, or any other object gives them. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The content of a delivery. */
export interface WebhookPayload {
  readonly type: string;
  /** ISO 8601 UTC. */
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The request is not a delivery of ours, or not a recent one. Answer 401 and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

const TOLERANCE_SECONDS = 5 * 60;
const MS_PER_SECOND = 1000;
const SECRET_PREFIX = 'whsec_';
const SIGNATURE_VERSION = 'v1';

/**
 * Checks a delivery by the Standard Webhooks scheme. Deliveries come at least once: use the header `webhook-id` to
 * recognise a repetition.
 * @param body exactly as received, before anything has parsed it
 * @param secret `whsec_…`, or several while one replaces another
 * @throws WebhookVerificationError
 */
export function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
): WebhookPayload {
  if (typeof body !== 'string' && !(body instanceof Uint8Array))
    throw new WebhookVerificationError('The body must be the raw text or bytes: something has parsed it.');
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ');
  checkTime(timestamp);
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8');
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  const expected = [secret].flat().map((one) => createHmac('sha256', keyOf(one)).update(signed).digest());
  const isSigned = signatures.some((signature) => {
    const [version, value = ''] = signature.split(',', 2);
    const given = Buffer.from(value, 'base64');
    return (
      version === SIGNATURE_VERSION &&
      expected.some((one) => one.length === given.length && timingSafeEqual(one, given))
    );
  });
  if (!isSigned) throw new WebhookVerificationError('No signature fits the secret and the body.');
  return parse(text);
}

function checkTime(timestamp: string): void {
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : NaN;
  const age = Math.abs(Date.now() / MS_PER_SECOND - seconds);
  if (!(age <= TOLERANCE_SECONDS)) {
    throw new WebhookVerificationError('webhook-timestamp must be a time within five minutes of now.');
  }
}

function keyOf(secret: unknown): Buffer {
  const text = typeof secret === 'string' ? secret : '';
  const encoded = text.startsWith(SECRET_PREFIX) ? text.slice(SECRET_PREFIX.length) : text;
  const key = Buffer.from(encoded, 'base64');
  if (key.length === 0) throw new WebhookVerificationError('The secret must be whsec_ and base64.');
  return key;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const found =
    headers instanceof Headers
      ? headers.get(name)
      : Object.entries(membersOf(headers)).find(([key]) => key.toLowerCase() === name)?.[1];
  const value = Array.isArray(found) ? (found[0] as unknown) : found;
  if (typeof value !== 'string' || value === '')
    throw new WebhookVerificationError(`The header ${name} is missing.`);
  return value;
}

function parse(text: string): WebhookPayload {
  try {
    return JSON.parse(text) as WebhookPayload;
  } catch {
    throw new WebhookVerificationError('The body is not JSON.');
  }
}
