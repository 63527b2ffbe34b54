/** Bytes of an answer that are kept. */
export const KEPT_RESPONSE_BYTES = 1_024;

/** C0 and C1 controls, and marks that change the direction of text. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
/** What nobody should find in a list of deliveries: secrets of webhooks, keys, tokens, signatures. */
const SECRETS = [
  /whsec_[A-Za-z0-9+/=_-]{8,}/g,
  /\bck_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{16,}/g,
  /\bv1,[A-Za-z0-9+/]{40,}={0,2}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]*)?/g,
  /(?<=\b(?:bearer|basic) )[A-Za-z0-9+/=._~-]{8,}/gi,
  /(?<=(?:secret|token|password|api[_-]?key|signature)"\s*:\s*")(?:[^"\\]|\\.)+/gi,
  /(?<=(?:secret|token|password|api[_-]?key|signature)["']?\s*[:=]\s*["']?)[^\s"'&,;<]{8,}/gi,
];

/** The first bytes of a foreign answer, made harmless: invalid UTF-8 is U+FFFD, controls and secrets are removed. */
export function harmlessText(bytes: Uint8Array): string | null {
  if (bytes.length === 0) return null;
  // What the limit has cut in two is left out, and is not invalid.
  const isCut = bytes.length >= KEPT_RESPONSE_BYTES;
  const text = new TextDecoder().decode(bytes.subarray(0, KEPT_RESPONSE_BYTES), { stream: isCut });
  const plain = text.replaceAll(CONTROLS, '');
  return SECRETS.reduce((redacted, secret) => redacted.replaceAll(secret, '[redacted]'), plain);
}
