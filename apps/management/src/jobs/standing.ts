import type { MemberRole } from '@truetally/contracts/facts';
import type { Actor } from '@truetally/contracts/resource';
import type { Queryable } from '@truetally/resource';
import type { Job } from '../domain/job.js';
import { roleOf } from '../storage/member.store.js';
import { isWorkspaceGone } from '../storage/workspace.store.js';

/**
 * A caller's relation to a job: a key's to those that it started, and a user's by the role in the workspace. The user who
 * started a job follows it when its workspace was deleted with all of its members; a removed member is a stranger.
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
  if (role !== undefined || actor.sub !== startedBy.sub) return role;
  return (await isWorkspaceGone(client, workspaceId)) ? 'starter' : undefined;
}
