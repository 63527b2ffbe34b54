import { fingerprint, uuidFromFingerprint } from '@truetally/kernel';

/**
 * Ids are made of the names that they stand for: the same on every replica and at every attempt, and one column to look
 * up by. (122 bits of SHA-256: two names never share one.)
 */
export function conversionIdOf(siteId: string, orderId: string): string {
  return uuidFromFingerprint(fingerprint(['conversion', siteId, orderId]));
}

/** @param orderSequence position in the order, from 1 */
export function recordIdOf(siteId: string, orderId: string, orderSequence: number): string {
  return uuidFromFingerprint(fingerprint(['record', siteId, orderId, String(orderSequence)]));
}

/** The `id` of a touch. */
export function touchRowIdOf(siteId: string, touchId: string): string {
  return uuidFromFingerprint(fingerprint(['touch', siteId, touchId]));
}
