import {
  type IntegrationProvider,
  NETWORK_PROVIDERS,
  PRODUCT_FEED,
  PRODUCTS_SYNC,
} from '@truetally/contracts/management';
import { readBeginWorkerJob, SETTLEMENTS_PULL } from '@truetally/contracts/publisher';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { failure } from '@truetally/kernel';
import { UnreadableError } from '@truetally/messaging';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { beginJob } from '../jobs/begin-job.js';
import {
  integrationsToPull,
  isTakenWorkerMessage,
  postponePulls,
  takeWorkerMessage,
} from '../storage/pull.store.js';
import { holdSite } from '../storage/site.store.js';
import { exceedsLately } from '../storage/often-made.store.js';

/** Names the platform's worker as the starter of a job. */
const WORKER = 'worker';

/** What a job of each type pulls from. */
const PROVIDERS = new Map<string, readonly IntegrationProvider[]>([
  [SETTLEMENTS_PULL, NETWORK_PROVIDERS],
  [PRODUCTS_SYNC, [PRODUCT_FEED]],
]);
const MESSAGE_TAKEN = failure('UNAUTHORIZED', 'A message with this webhook-id was taken already.');
/** A feed that is read because a worker asks is not read again on time right after. */
const ASKED_INSTEAD_SECONDS = 600;

/**
 * Begins a job that the platform's worker requests by a signed message (interface page, section 11). Each
 * message is accepted once: recording it and beginning the job are one transaction, so that a failed message
 * may be sent again.
 */
export async function beginWorkerJob(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const read = readBeginWorkerJob(command.body);
  if (!read.ok) throw new UnreadableError(Object.keys(read.error).join(', '));
  const { message_id, type, site_id: siteId, integration_id: integrationId } = read.value;
  const providers = PROVIDERS.get(type);
  if (providers === undefined) return failure('NOT_FOUND', 'There is no such type of job.');
  // Whatever it asks for: what it asked for may be gone since then.
  if (await isTakenWorkerMessage(client, message_id)) return MESSAGE_TAKEN;
  const site = await holdSite(client, command.workspace_id, siteId);
  if (site === undefined) return refusals.noSite();
  const integrationIds = await integrationsToPull(client, siteId, integrationId, providers);
  if (integrationIds.length === 0) return refusals.noIntegration();
  const exceeded = await exceedsLately(client, 'jobs', { workspaceId: command.workspace_id });
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  if (!(await takeWorkerMessage(client, message_id))) return MESSAGE_TAKEN;
  if (type === PRODUCTS_SYNC) await postponePulls(client, integrationIds, ASKED_INSTEAD_SECONDS);
  const { jobId, fact } = await beginJob(client, command, context, {
    type,
    params: { site_id: siteId, integration_ids: integrationIds },
    startedByName: WORKER,
  });
  return {
    ok: { job_id: jobId },
    facts: [fact],
    audit: { action: type === PRODUCTS_SYNC ? 'sync' : 'pull', resource: 'site', resourceId: siteId },
  };
}
