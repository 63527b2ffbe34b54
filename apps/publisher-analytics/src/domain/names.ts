import { fingerprintHex, uuidFromFingerprintHex } from '@truetally/kernel';

/**
 * Ids are made of the names that they stand for: the same on every replica and at every attempt, and one column to look
 * up by. (122 bits of SHA-256: two names never share one.)
 */
export function settlementIdOf(siteId: string, provider: string, transactionId: string): string {
  return uuidFromFingerprintHex(fingerprintHex(['settlement', siteId, provider, transactionId]));
}

/** What a report lists by name. */
export type ItemKind = 'content' | 'destination';

export function itemIdOf(siteId: string, kind: ItemKind, name: string): string {
  return uuidFromFingerprintHex(fingerprintHex(['item', siteId, kind, name]));
}
