import { fingerprint, uuidFromFingerprint } from '@truetally/kernel';

/**
 * Ids are derived from names: the same on every replica and in every attempt, with one column to look up.
 * (122 bits of SHA-256 make collisions practically impossible.)
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
