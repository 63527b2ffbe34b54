/** What something offered is to what is known under its name (a touch id, an idempotency key). */
export type Acceptance = 'new' | 'same' | 'changed';

/**
 * Idempotency in one rule: the first content that was accepted under a name is the one it names for ever.
 * @param known fingerprint of what was accepted under the name, if anything was
 * @param offered fingerprint of what comes now
 */
export function acceptance(known: string | undefined, offered: string): Acceptance {
  if (known === undefined) return 'new';
  return known === offered ? 'same' : 'changed';
}
