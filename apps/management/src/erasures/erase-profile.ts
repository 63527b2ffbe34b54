import { PROFILE_ERASE, ERASE_PROFILE } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import { isStale, type CommandContext, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { beginJob, nameOfActor } from '../jobs/begin-job.js';
import { addRemoved, insertErasure } from '../storage/erasure.store.js';
import { erasedPeople, lockPeople, lockProfiles, removeProfile } from '../storage/profile.store.js';
import { holdSite } from '../storage/site.store.js';
import { OWN_NAME, SERVICES_OF_PEOPLE } from './services-of-people.js';

/**
 * Erases a person of a site, whether there is a profile or only events: the profile is gone at once, and the job removes
 * everything else. Replies, audit log and job name the erasure, and never the person.
 */
export async function eraseProfile(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const read = ERASE_PROFILE.read(command.body);
  if (!read.ok) throw new UnreadableError(read.error);
  const { workspace_id: workspaceId, actor, version } = command;
  const { site_id: siteId, user_id: userId } = read.value;
  const site = await holdSite(client, workspaceId, siteId);
  if (site === undefined) return refusals.noSite();
  await lockPeople(client, site.id);
  const erased = await erasedPeople(client, site.id, [userId]);
  if (erased.has(userId)) return refusals.noProfile();
  const profile = (await lockProfiles(client, site.id, [userId])).get(userId);
  if (profile === undefined && version !== null) return refusals.noProfile();
  if (profile !== undefined && isStale(version, profile.version)) {
    return refusals.staleVersion(profile.version);
  }
  await removeProfile(client, site.id, userId);
  const erasureId = context.newId();
  const params = { site_id: site.id, erasure_id: erasureId };
  const { jobId, fact } = await beginJob(client, command, context, { type: PROFILE_ERASE, params });
  await insertErasure(client, {
    ...{ erasureId, workspaceId, siteId: site.id, userId, jobId },
    email: profile?.email ?? null,
    requestedAtMs: context.nowMs,
    requestedBy: nameOfActor(actor),
    services: SERVICES_OF_PEOPLE,
  });
  const profiles = profile === undefined ? 0 : 1;
  await addRemoved(client, { erasureId, service: OWN_NAME }, { profiles }, false);
  return {
    ok: { deleted: true, job_id: jobId, erasure_id: erasureId },
    facts: [fact],
    audit: { action: 'erase', resource: 'profile', resourceId: erasureId },
  };
}
