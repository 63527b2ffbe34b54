import { UUID } from '@truetally/kernel';
import { memberNameOf } from './member-record.js';

/** Whose data a fact holds: it is erased with the site, or with the workspace. */
export interface FactOwner {
  readonly siteId: string | null;
  readonly workspaceId: string | null;
}

/**
 * The owner of a fact of any topic, also of a row of the outbox that holds several facts of one site. A tombstone
 * has an owner when its key names a member; the keys of other tombstones are ids.
 */
export function ownerOfFact({ key, value }: OwnedFact): FactOwner {
  if (value === null) return { siteId: null, workspaceId: memberNameOf(key)?.workspace_id ?? null };
  const read = jsonOf(value);
  const body: unknown = Array.isArray(read) ? read[0] : read;
  if (typeof body !== 'object' || body === null) return { siteId: null, workspaceId: null };
  return { siteId: idIn(body, 'site_id'), workspaceId: idIn(body, 'workspace_id') };
}

/** Without the limits of requests: a row of the outbox holds thousands of objects. Other texts belong to nobody. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface OwnedFact {
  readonly key: string;
  readonly value: string | null;
}

function idIn(body: object, name: string): string | null {
  const value: unknown = Object.getOwnPropertyDescriptor(body, name)?.value;
  return typeof value === 'string' && UUID.test(value) ? value : null;
}
