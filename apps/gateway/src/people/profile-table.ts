import { PROFILE_TEXTS, type ProfileResource } from '@truetally/contracts/management';
import { csvRow } from '@truetally/contracts/tables';

export const PROFILE_HEADER = csvRow([
  'id',
  'user_id',
  ...PROFILE_TEXTS,
  'attributes',
  'created_at',
  'updated_at',
]);

/** One row per profile; its attributes are JSON. */
export function profileRow(profile: ProfileResource): string {
  const { id, user_id, attributes, created_at, updated_at } = profile;
  const texts = PROFILE_TEXTS.map((field) => profile[field]);
  return csvRow([id, user_id, ...texts, attributes, created_at, updated_at]);
}
