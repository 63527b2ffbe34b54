import type { IncomingMessage } from 'node:http';
import { fail, type FieldErrors, type Result, succeed } from '@truetally/kernel';

/** Interface page, section 1. */
const MAX_KEY_CHARACTERS = 255;
/** A version in quotes. */
const VERSION = /^"([1-9]\d{0,9})"$/;
const MAX_VERSION = 2_147_483_647;

/** The preconditions of a change: the version that the caller read, and its idempotency key. */
export interface Conditions {
  readonly version: number | null;
  readonly idempotencyKey: string | null;
}

type ConditionalRequest = Pick<IncomingMessage, 'headers' | 'headersDistinct'>;

/** Reads `If-Match` and `Idempotency-Key`; `*` adds no condition. */
export function readConditions(request: ConditionalRequest): Result<Conditions, FieldErrors> {
  const { headers } = request;
  const errors: Record<string, readonly string[]> = {};
  const version = readVersion(headers['if-match']);
  if (version === undefined) errors['If-Match'] = [faultOfVersion(String(headers['if-match']))];
  const idempotencyKey = headers['idempotency-key'] ?? null;
  if (idempotencyKey !== null && (!isKey(idempotencyKey) || isGivenTwice(request))) {
    errors['Idempotency-Key'] = [`must be given once, with 1 to ${MAX_KEY_CHARACTERS} characters`];
    return fail(errors);
  }
  return version === undefined ? fail(errors) : succeed({ version, idempotencyKey });
}

/** Node joins the values of a repeated header. */
function isGivenTwice({ headersDistinct }: ConditionalRequest): boolean {
  return (headersDistinct['idempotency-key']?.length ?? 0) > 1;
}

/** Undefined for an invalid version. */
function readVersion(header: string | undefined): number | null | undefined {
  if (header === undefined || header === '*') return null;
  const version = Number(VERSION.exec(header)?.[1]);
  return version <= MAX_VERSION ? version : undefined;
}

/** RFC 9110 allows lists, of which a change could follow any, and weak tags, which equal nothing here. */
function faultOfVersion(header: string): string {
  if (header.startsWith('W/'))
    return 'must be a strong tag, such as "3": a weak one may stand for two versions';
  if (header.includes(',')) return 'must be the one version that was read, such as "3": a list is not taken';
  return 'must be a version in quotes, such as "3"';
}

function isKey(header: string | readonly string[]): header is string {
  return typeof header === 'string' && header !== '' && header.length <= MAX_KEY_CHARACTERS;
}
