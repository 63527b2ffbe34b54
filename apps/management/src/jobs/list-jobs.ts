import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { summarizeJob } from '../domain/job.js';
import { refusals } from '../domain/refusals.js';
import { pageOfJobs } from '../storage/job.store.js';
import { isSiteOf } from '../storage/site.store.js';
import { EVERY_JOB } from './every-job.js';

/** A workspace's jobs, newest first, also those of its deleted sites (interface page, section 9). */
export async function listJobs(client: Queryable, query: ResourceQuery): Promise<Reply<object>> {
  const siteId = query.filters['site_id'];
  if (siteId !== undefined && !(await isSiteOf(client, query.workspace_id, siteId))) return refusals.noSite();
  const page = await pageOfJobs(client, query);
  if ('error' in page) return page;
  const { items, next_cursor } = page.ok;
  const isCancellable = (type: string): boolean => EVERY_JOB[type]?.isCancellable === true;
  return {
    ok: { items: items.map(({ job }) => summarizeJob(job, isCancellable(job.type))), next_cursor },
  };
}
