/** Relation of an offered content to the content known under its name (a touch id, an idempotency key). */
export type Acceptance = 'new' | 'same' | 'changed';

/**
 * The idempotency rule: a name always identifies the first content that was accepted with it.
 * @param known fingerprint of the accepted content, if any
 * @param offered fingerprint of the new content
 */
export function acceptance(known: string | undefined, offered: string): Acceptance {
  if (known === undefined) return 'new';
  return known === offered ? 'same' : 'changed';
}
