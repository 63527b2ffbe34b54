import { fingerprintHex, uuidFromFingerprintHex } from '@truetally/kernel';
import { TRUST_CLASSES } from '../credentials/trust.js';

/** The id of the event with a deduplication key (docs/decisions/deduplication-key.md). */
export function eventIdOfKey(key: readonly (string | null)[]): string {
  return uuidFromFingerprintHex(fingerprintHex(['event', ...key]));
}

/** The key of an event that its client has named. */
export function clientEventKey(siteId: string, trust: string, clientEventId: string): readonly string[] {
  return [siteId, 'client', trust, clientEventId];
}

/** The ids of the events that a client may have named so: one of each trust class. */
export function eventIdsOfClient(siteId: string, clientEventId: string): readonly string[] {
  return TRUST_CLASSES.map((trust) => eventIdOfKey(clientEventKey(siteId, trust, clientEventId)));
}
