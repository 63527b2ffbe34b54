import { fingerprintHex, uuidFromFingerprintHex } from '@truetally/kernel';

/**
 * Ids derived from names are the same in every replica and after every restart, so that a unique index
 * decides a race, and a look-up is one index access.
 */

export function assignmentIdOf(experimentId: string, sessionId: string): string {
  return idOf('assignment', experimentId, sessionId);
}

export function sessionKeyOf(siteId: string, sessionId: string): string {
  return idOf('session', siteId, sessionId);
}

export function touchKeyOf(siteId: string, touchId: string): string {
  return idOf('touch', siteId, touchId);
}

function idOf(kind: string, ...names: readonly string[]): string {
  return uuidFromFingerprintHex(fingerprintHex([kind, ...names]));
}
