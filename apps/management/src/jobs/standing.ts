import type { MemberRole } from '@truetally/contracts/facts';
import type { Actor } from '@truetally/contracts/resource';
import type { Queryable } from '@truetally/resource';
import type { Job } from '../domain/job.js';
import { roleOf } from '../storage/member.store.js';

/**
 * A user's relation to a job. Its starter can still see it after the workspace was deleted with all of its
 * members, to follow the deletion.
 */
export type Standing = 'starter' | MemberRole;

/** @returns undefined for a user who must not see the job */
export async function standingOf(
  client: Queryable,
  { workspaceId, startedBy }: Pick<Job, 'startedBy' | 'workspaceId'>,
  actor: Actor | null,
): Promise<Standing | undefined> {
  if (actor === null) return undefined;
  if (actor.key_id !== null) return actor.key_id === startedBy.key_id ? 'starter' : undefined;
  if (actor.sub === null) return undefined;
  const role = await roleOf(client, workspaceId, actor);
  return role ?? (actor.sub === startedBy.sub ? 'starter' : undefined);
}
