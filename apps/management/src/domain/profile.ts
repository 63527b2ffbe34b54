import { PROFILE_TEXTS, type ProfileFields, type ProfilePatch } from '@truetally/contracts/management';
import { isSameJson, mergePatch } from '@truetally/kernel';

/** A person of whom nothing is known. */
const NOBODY: ProfileFields = {
  email: null,
  phone: null,
  name: null,
  first_name: null,
  last_name: null,
  language: null,
  attributes: {},
};

/**
 * What is known of a person after one more row: a field that the row does not name is kept, null clears one, and
 * attributes are merged member by member (RFC 7396).
 */
export function mergeProfile(known: ProfileFields | undefined, patch: ProfilePatch): ProfileFields {
  const merged: Record<string, unknown> = { ...profileFields(known ?? NOBODY) };
  for (const field of PROFILE_TEXTS) {
    const text = patch[field];
    if (text !== undefined) merged[field] = text;
  }
  const { attributes } = patch;
  if (attributes === null) merged['attributes'] = {};
  else if (attributes !== undefined) merged['attributes'] = mergePatch(merged['attributes'], attributes);
  // The same members as before, each of its type.
  return merged as unknown as ProfileFields;
}

/** Whether two profiles say the same, in whatever order their attributes are written. */
export function isSameProfile(left: ProfileFields, right: ProfileFields): boolean {
  return (
    PROFILE_TEXTS.every((field) => left[field] === right[field]) &&
    isSameJson(left.attributes, right.attributes)
  );
}

function profileFields(profile: ProfileFields): ProfileFields {
  const { email, phone, name, first_name, last_name, language, attributes } = profile;
  return { email, phone, name, first_name, last_name, language, attributes };
}
