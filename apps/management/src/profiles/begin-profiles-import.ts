import { PROFILES_IMPORT, BEGIN_PROFILES_IMPORT } from '@truetally/contracts/management';
import type { ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { beginJob } from '../jobs/begin-job.js';
import { countUnfinishedJobs } from '../storage/job.store.js';
import { insertImport } from '../storage/profile-import.store.js';
import { holdSite } from '../storage/site.store.js';
import { exceedsByNames, exceedsLately } from '../storage/often-made.store.js';

/** Of a workspace: each keeps up to 5 MiB until it is finished. */
const MAX_UNFINISHED_IMPORTS = 100;

/** Keeps the rows, which the gateway has judged, for the job that merges them. */
export async function beginProfilesImport(
  client: ClientBase,
  command: ResourceCommand,
  context: CommandContext,
): Promise<Outcome> {
  const read = BEGIN_PROFILES_IMPORT.read(command.body);
  if (!read.ok) throw new UnreadableError(read.error);
  const { workspace_id: workspaceId } = command;
  const { site_id: siteId, rows } = read.value;
  const site = await holdSite(client, workspaceId, siteId);
  if (site === undefined) return refusals.noSite();
  if ((await countUnfinishedJobs(client, { workspaceId, type: PROFILES_IMPORT })) >= MAX_UNFINISHED_IMPORTS) {
    return refusals.quotaExceeded({ quota: 'unfinished_imports', most: MAX_UNFINISHED_IMPORTS });
  }
  const names = rows.flatMap((row) => ('patch' in row ? [row.patch.user_id] : []));
  const exceeded =
    (await exceedsByNames(client, 'profiles', { workspaceId, siteId: site.id, names })) ??
    (await exceedsLately(client, 'jobs', { workspaceId }));
  if (exceeded !== undefined) return refusals.quotaExceeded(exceeded);
  const params = { site_id: site.id };
  const job = { type: PROFILES_IMPORT, params, total: rows.length };
  const { jobId, fact } = await beginJob(client, command, context, job);
  await insertImport(client, { jobId, workspaceId, siteId: site.id, rows });
  return {
    ok: { job_id: jobId },
    facts: [fact],
    audit: { action: 'import', resource: 'profiles', resourceId: site.id },
  };
}
