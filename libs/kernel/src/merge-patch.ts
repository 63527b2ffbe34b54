import { isRawNumber } from './raw-number.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * A JSON value as a merge patch (RFC 7396) changes it: members that the patch names are replaced, objects inside
 * objects member by member, null takes a member away, and a patch that is no object replaces everything.
 * Both stay as they are; the depth is that of the patch, which the reader of bodies bounds.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isMembers(patch)) return patch;
  const merged = new Map(isMembers(target) ? Object.entries(target) : []);
  for (const [name, change] of Object.entries(patch)) {
    if (change === null) merged.delete(name);
    else merged.set(name, mergePatch(merged.get(name), change));
  }
  return Object.fromEntries(merged);
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
