import { isRawNumber } from './raw-number.js';

type Members = Readonly<Record<string, unknown>>;

/**
 * Applies a merge patch (RFC 7396) to a JSON value. Named members are replaced, nested objects member by
 * member; null removes a member; a patch that is not an object replaces everything. Neither argument is
 * changed. The recursion depth is that of the patch, which the body reader bounds.
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
 * The same for a resource's fields, except that unknown names are kept, even if the patch would remove them:
 * validation then refuses them instead of ignoring them.
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
