const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Whether a client with this `If-None-Match` already has the tagged content (RFC 9110, section 13.1.2).
 * Comparison is weak, because a cache on the way may have weakened our tag.
 */
export function isCached(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  for (const [, known] of ifNoneMatch.matchAll(ENTITY_TAG)) if (known === tag) return true;
  return false;
}
