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

/**
 * The same for a resource's fields, where a name that none of them has is to be refused, not passed over: it stays, also
 * where the patch would take it away.
 */
export function patchFields(fields: object, patch: unknown): unknown {
  const merged = mergePatch(fields, patch);
  if (!isMembers(patch) || !isMembers(merged)) return merged;
  const strange = Object.entries(patch).filter(
    ([name, value]) => value === null && !Object.hasOwn(fields, name),
  );
  return { ...merged, ...Object.fromEntries(strange) };
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
