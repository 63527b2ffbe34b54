import { formatInstant } from '@truetally/kernel';

/** Times of every resource are ISO 8601 UTC with milliseconds (interface page, section 9). */
export interface Resource {
  readonly id: string;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
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
