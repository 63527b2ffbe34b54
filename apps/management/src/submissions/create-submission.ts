import { readSubmission, type SubmissionResource } from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import { UUID } from '@truetally/kernel';
import { isJsonObject } from '@truetally/contracts/validation';
import { UnreadableError } from '@truetally/messaging';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { hasCampaign } from '../storage/campaign.store.js';
import { holdSite } from '../storage/site.store.js';
import { countOfSession, insertSubmission } from '../storage/submission.store.js';
import { exceedsLately } from '../storage/often-made.store.js';

const HOUR_MS = 3_600_000;
/** Of one session in any hour: more than a visitor fills in, and little enough to make flooding pointless. */
export const SUBMISSIONS_OF_SESSION_PER_HOUR = 20;

/**
 * Stores what a visitor sent, with the consent to it. The reply does not repeat it: replies are kept for
 * redelivery longer than a person's data may be after an erasure.
 */
export async function createSubmission(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs, newId }: CommandContext,
): Promise<Outcome> {
  const { workspace_id: workspaceId, body } = command;
  const read = readSubmission(body, nowMs);
  if (!read.ok) return refusals.invalid(read.error);
  const site = await holdSite(client, workspaceId, siteOf(body));
  if (site === undefined) return refusals.noSite();
  if (!(await hasCampaign(client, site.id, read.value.campaign_id))) return refusals.noCampaign();
  const exceeded = await exceedsLately(client, 'submissions', { workspaceId, siteId: site.id });
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const submission: SubmissionResource = {
    ...newResource(newId(), nowMs),
    site_id: site.id,
    ...read.value,
  };
  if ((await countOfSession(client, submission, nowMs - HOUR_MS)) >= SUBMISSIONS_OF_SESSION_PER_HOUR) {
    return refusals.tooManySubmissions(SUBMISSIONS_OF_SESSION_PER_HOUR);
  }
  await insertSubmission(client, workspaceId, submission);
  const { id, version, created_at, updated_at, site_id, campaign_id } = submission;
  return { ok: { id, version, created_at, updated_at, site_id, campaign_id } };
}

/** The gateway names the site of the page's token beside what the page sent. */
function siteOf(body: unknown): string {
  const siteId = isJsonObject(body) ? body['site_id'] : undefined;
  if (typeof siteId !== 'string' || !UUID.test(siteId)) throw new UnreadableError('no site');
  return siteId;
}
