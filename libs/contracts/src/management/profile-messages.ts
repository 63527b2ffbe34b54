import { type FieldErrors, UUID } from '@truetally/kernel';
import { recordCodec } from '../facts/record-codec.js';
import type { JobErrorResource } from '../jobs/job-resource.js';
import { BODY_PATH } from '../validation/compile-validator.js';
import { isJsonObject } from '../validation/shape.js';
import { IMPORTED_PROFILES, type ProfilePatch, readProfilePatch } from './profile.js';

/** Type of the job that imports profiles (interface page, section 9). */
export const PROFILES_IMPORT = 'profiles.import';
/** Type of the job that erases a person. */
export const PROFILE_ERASE = 'profile.erase';

/** A row of an import as the gateway has judged it: its patch, or what it breaks, without any value. */
export type ImportRow = { readonly patch: ProfilePatch } | { readonly errors: readonly JobErrorResource[] };

/** The body of `begin-profiles-import`. */
export interface BeginProfilesImport {
  readonly site_id: string;
  readonly rows: readonly ImportRow[];
}

/** Judges each row by itself. Rows are counted from 1. */
export function judgeRows(rows: readonly unknown[]): readonly ImportRow[] {
  return rows.map((row, index): ImportRow => {
    const patch = readProfilePatch(row);
    return patch.ok ? { patch: patch.value } : { errors: errorsOf(index + 1, patch.error) };
  });
}

/** The body of `begin-profiles-import`, on the wire. */
export const BEGIN_PROFILES_IMPORT = recordCodec(
  (reader): BeginProfilesImport => ({ site_id: reader.text('site_id'), rows: reader.list('rows', readRow) }),
  ({ site_id, rows }) => [
    ...(UUID.test(site_id) ? [] : ['site_id']),
    ...(rows.length < IMPORTED_PROFILES.min || rows.length > IMPORTED_PROFILES.max ? ['rows'] : []),
  ],
);

function errorsOf(row: number, errors: FieldErrors): readonly JobErrorResource[] {
  return Object.entries(errors).flatMap(([path, messages]) =>
    messages.map((message) => ({ row, field: path === BODY_PATH ? null : path, message })),
  );
}

/** The gateway has judged it: only its form is checked. */
function readRow(value: unknown): ImportRow | undefined {
  if (!isJsonObject(value)) return undefined;
  const { patch, errors } = value;
  if (isJsonObject(patch) && typeof patch['user_id'] === 'string') return { patch: patch as ProfilePatch };
  return Array.isArray(errors) ? { errors: errors as readonly JobErrorResource[] } : undefined;
}
