import { fingerprintHex, uuidFromFingerprintHex } from '@truetally/kernel';

/**
 * Ids are derived from names: the same on every replica and in every attempt, with one column to look up.
 * (122 bits of SHA-256 make collisions practically impossible.)
 */
export function settlementIdOf(siteId: string, provider: string, transactionId: string): string {
  return uuidFromFingerprintHex(fingerprintHex(['settlement', siteId, provider, transactionId]));
}

/** What a report lists by name. */
export type ItemKind = 'content' | 'destination';

export function itemIdOf(siteId: string, kind: ItemKind, name: string): string {
  return uuidFromFingerprintHex(fingerprintHex(['item', siteId, kind, name]));
}
