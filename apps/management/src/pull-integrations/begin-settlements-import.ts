import { readBeginSettlementsImport, SETTLEMENTS_IMPORT } from '@truetally/contracts/publisher';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { holdOfSite } from '../storage/hold-of-site.js';
import { INTEGRATIONS } from '../storage/integration.store.js';
import { countUnfinishedJobs } from '../storage/job.store.js';
import { exceedsLately } from '../storage/often-made.store.js';
import { beginJob } from '../jobs/begin-job.js';

/** Of a workspace: each keeps a file of up to 32 MiB until it is finished, and makes others wait. */
const MAX_UNFINISHED_IMPORTS = 100;

/** The gateway has stored the rows: the job imports them for the integration's site and network. */
export async function beginSettlementsImport(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const read = readBeginSettlementsImport(command.body);
  if (!read.ok) throw new UnreadableError(Object.keys(read.error).join(', '));
  const integration = await holdOfSite(client, command, INTEGRATIONS);
  if (integration === undefined) return refusals.noIntegration();
  const kind = { workspaceId: command.workspace_id, type: SETTLEMENTS_IMPORT };
  if ((await countUnfinishedJobs(client, kind)) >= MAX_UNFINISHED_IMPORTS)
    return refusals.quotaExceeded({ quota: 'unfinished_imports', most: MAX_UNFINISHED_IMPORTS });
  const exceeded = await exceedsLately(client, 'jobs', { workspaceId: command.workspace_id });
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const { id, site_id, provider } = integration;
  const params = {
    site_id,
    integration_id: id,
    provider,
    upload_id: read.value.upload_id,
    rows: String(read.value.rows),
  };
  const { jobId, fact } = await beginJob(client, command, context, { type: SETTLEMENTS_IMPORT, params });
  return {
    ok: { job_id: jobId },
    facts: [fact],
    audit: { action: 'import', resource: 'integration', resourceId: id },
  };
}
