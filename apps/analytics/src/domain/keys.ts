import { fingerprintHex, uuidFromFingerprintHex, writeFingerprintUuid } from '@truetally/kernel';

/**
 * Ids of sessions and requests are stored as keys of one length, so that reports hold no name and their
 * indexes stay small. Two ids share a key with the odds of two random UUIDs.
 */
export function sessionKeyOf(siteId: string, sessionId: string): string {
  return keyOf('session', siteId, sessionId);
}

/** The same as 16 bytes at a place: of each event that is folded. */
export function writeSessionKey(keys: Buffer, at: number, siteId: string, sessionId: string): void {
  writeFingerprintUuid(keys, at, ['session', siteId, sessionId]);
}

/** The key that an erased session has instead: without the secret neither key leads to the other. */
export function replacementOf(sessionKey: string, secret: string): string {
  return keyOf('replacement', secret, sessionKey);
}

/** Events of one request follow each other. */
let last: { siteId: string; requestId: string; key: string } | undefined;

export function requestKeyOf(siteId: string, requestId: string): string {
  if (last?.requestId !== requestId || last.siteId !== siteId)
    last = { siteId, requestId, key: keyOf('request', siteId, requestId) };
  return last.key;
}

export function touchKeyOf(siteId: string, touchId: string): string {
  return keyOf('touch', siteId, touchId);
}

function keyOf(kind: string, siteId: string, id: string): string {
  return uuidFromFingerprintHex(fingerprintHex([kind, siteId, id]));
}
