import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A message with a valid signature. */
export interface SignedMessage {
  readonly id: string;
}

/** Interface page, section 11: older messages, and those as far in the future, are refused. */
const TOLERANCE_SECONDS = 300;
const ID = /^[\x21-\x7e]{1,255}$/;
const SECONDS = /^\d{1,12}$/;
const MAX_SIGNATURES = 8;

/**
 * Verifies a message by the Standard Webhooks scheme: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature`, one of whose `v1,…` must be the HMAC-SHA-256 over id, time and body.
 * @param key the secret's bytes
 * @returns undefined for an unsigned, foreign or expired message
 */
export function verifySigned(
  headers: IncomingHttpHeaders,
  body: string,
  key: Buffer,
  nowMs: number,
): SignedMessage | undefined {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  );
  if (id === undefined || timestamp === undefined || signatures === undefined) return undefined;
  if (!ID.test(id) || !SECONDS.test(timestamp)) return undefined;
  if (Math.abs(Number(timestamp) - nowMs / 1_000) > TOLERANCE_SECONDS) return undefined;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const isSigned = signatures
    .split(' ')
    .slice(0, MAX_SIGNATURES)
    .some((signature) => isEqual(signature, expected));
  return isSigned ? { id } : undefined;
}

function isEqual(signature: string, expected: Buffer): boolean {
  if (!signature.startsWith('v1,')) return false;
  const given = Buffer.from(signature.slice('v1,'.length), 'base64');
  return given.length === expected.length && timingSafeEqual(given, expected);
}
