const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/**
 * Whether a client that sends this `If-None-Match` has what the tag names (RFC 9110, section 13.1.2). Tags are compared
 * weakly, because a cache on the way may have made ours weak.
 */
export function isCached(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  for (const [, known] of ifNoneMatch.matchAll(ENTITY_TAG)) if (known === tag) return true;
  return false;
}
