import type { JobErrorResource, JobStepReport } from '@truetally/contracts/jobs';
import {
  type ImportRow,
  profileAttributeFaults,
  type ProfileFields,
  type ProfilePatch,
  type ProfileResource,
} from '@truetally/contracts/management';
import { changedResource, newResource } from '@truetally/contracts/resource';
import { isSameProfile, mergeProfile } from '../domain/profile.js';

type Stored = ProfileResource & { readonly workspace_id: string };

export interface ImportSurroundings {
  readonly workspaceId: string;
  readonly siteId: string;
  /** What is stored of the people in these rows, by `user_id`. */
  readonly known: ReadonlyMap<string, Stored>;
  /** People of whom nothing is stored any more. */
  readonly erased: ReadonlySet<string>;
  readonly nowMs: number;
  readonly newId: () => string;
}

/** The outcome of some rows. */
export interface ImportedRows {
  /** New and changed profiles, each once. */
  readonly changed: readonly Stored[];
  readonly report: Pick<JobStepReport, 'done' | 'errors' | 'failed' | 'stored'>;
}

const ERASED = 'names a person who was erased';

/**
 * Merges rows in their order, so that of two rows of one person the later one wins. Each row stands for itself.
 * @param first number of the first row, from 1
 */
export function importRows(
  rows: readonly ImportRow[],
  first: number,
  { workspaceId, siteId, known, erased, nowMs, newId }: ImportSurroundings,
): ImportedRows {
  const changed = new Map<string, Stored>();
  const errors: JobErrorResource[] = [];
  let failed = 0;
  for (const [index, row] of rows.entries()) {
    const judged = judge(row, first + index, (userId) => changed.get(userId) ?? known.get(userId), erased);
    if ('errors' in judged) {
      failed += 1;
      errors.push(...judged.errors);
      continue;
    }
    const { userId, fields } = judged;
    const before = changed.get(userId) ?? known.get(userId);
    if (before !== undefined && isSameProfile(before, fields)) continue;
    const isFirstChange = !changed.has(userId);
    if (before === undefined) {
      const created = { ...newResource(newId(), nowMs), site_id: siteId, user_id: userId, ...fields };
      changed.set(userId, { ...created, workspace_id: workspaceId });
    } else {
      // A person in two rows is one change.
      changed.set(userId, isFirstChange ? changedResource(before, fields, nowMs) : { ...before, ...fields });
    }
  }
  const report = { done: rows.length, stored: rows.length - failed, failed, errors };
  return { changed: [...changed.values()], report };
}

type Judged =
  | { readonly userId: string; readonly fields: ProfileFields }
  | { readonly errors: readonly JobErrorResource[] };

function judge(
  row: ImportRow,
  number: number,
  find: (userId: string) => ProfileFields | undefined,
  erased: ReadonlySet<string>,
): Judged {
  if ('errors' in row) return row;
  const patch: ProfilePatch = row.patch;
  const { user_id: userId } = patch;
  const refuse = (field: string, messages: readonly string[]): Judged => ({
    errors: messages.map((message) => ({ row: number, field, message })),
  });
  if (erased.has(userId)) return refuse('user_id', [ERASED]);
  const fields = mergeProfile(find(userId), patch);
  const faults = profileAttributeFaults(fields.attributes);
  return faults.length > 0 ? refuse('attributes', faults) : { userId, fields };
}
