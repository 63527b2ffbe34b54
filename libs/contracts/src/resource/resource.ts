import { formatInstant, isSameJson } from '@truetally/kernel';
import { Flag, Matching, Timestamp, WholeNumber } from '../validation/decorators.js';
import { UUID, UUID_FORM } from '../validation/forms.js';

const VERSIONS = { min: 1, max: Number.MAX_SAFE_INTEGER };

/** Times of every resource are ISO 8601 UTC with milliseconds (interface page, section 9). */
export class Resource {
  @Matching(UUID, UUID_FORM) readonly id!: string;
  @WholeNumber(VERSIONS) readonly version!: number;
  @Timestamp() readonly created_at!: string;
  @Timestamp() readonly updated_at!: string;
}

/** The answer to a deletion. */
export class DeletedResource {
  @Matching(UUID, UUID_FORM) readonly id!: string;
  @Flag() readonly deleted!: boolean;
}

/** The same where a job erases what belongs to it. */
export class ErasedResource extends DeletedResource {
  @Matching(UUID, UUID_FORM) readonly job_id!: string;
}

/** The common fields of a new resource. */
export function newResource(id: string, nowMs: number): Resource {
  const now = formatInstant(nowMs);
  return { id, version: 1, created_at: now, updated_at: now };
}

/** The resource with some of its fields changed. */
export function changedResource<R extends Resource>(resource: R, fields: Partial<R>, nowMs: number): R {
  return { ...resource, ...fields, version: resource.version + 1, updated_at: formatInstant(nowMs) };
}

/** The resource with the fields of a patch; the given one itself when they say what it said before. */
export function patchedResource<R extends Resource>(resource: R, fields: Partial<R>, nowMs: number): R {
  const isSame = Object.keys(fields).every((name) => {
    const field = name as keyof R;
    return isSameJson(resource[field], fields[field]);
  });
  return isSame ? resource : changedResource(resource, fields, nowMs);
}
