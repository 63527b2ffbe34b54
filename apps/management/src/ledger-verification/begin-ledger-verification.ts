import { LEDGER_VERIFY, validateVerification } from '@truetally/contracts/attribution';
import type { ResourceCommand } from '@truetally/contracts/resource';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { beginJob } from '../jobs/begin-job.js';
import { hasUnfinishedJobOfSite } from '../storage/job.store.js';
import { lockSite } from '../storage/site.store.js';
import { exceedsLately } from '../storage/often-made.store.js';

/** The ledger verifies the chain: one verification of a site at a time (interface page, section 6). */
export async function beginLedgerVerification(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const read = validateVerification(command.body);
  if (!read.ok) return refusals.invalid(read.error);
  const siteId = read.value.website_id.toLowerCase();
  // Two requests wait for one another: the second finds the job of the first.
  const { workspace_id: workspaceId } = command;
  const site = await lockSite(client, workspaceId, siteId);
  if (site === undefined) return refusals.noSite();
  const verification = { workspaceId, siteId, type: LEDGER_VERIFY };
  if (await hasUnfinishedJobOfSite(client, verification)) return refusals.verificationUnderWay();
  const exceeded = await exceedsLately(client, 'jobs', { workspaceId });
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const params = { site_id: siteId, from_sequence: read.value.from_sequence ?? '1' };
  const { jobId, fact } = await beginJob(client, command, context, { type: LEDGER_VERIFY, params });
  return {
    ok: { job_id: jobId },
    facts: [fact],
    audit: { action: 'verify', resource: 'ledger', resourceId: siteId },
  };
}
