import { ERASE_SITE } from '@truetally/contracts/jobs';
import { JOB_STEPS } from '@truetally/contracts/services';
import { TOPICS } from '@truetally/contracts/topics';
import type { ClientBase } from 'pg';
import type { Piece } from '../storage/job-leases.js';
import { emptyDeletedSite } from '../storage/site.store.js';
import { tombstonesGone } from '../storage/tombstones.store.js';
import { emptyDeletedWorkspace } from '../storage/workspace.store.js';
import { type Erasure, eraseSome, SITE_ERASURES, WORKSPACE_ERASURES } from './erasures.js';
import type { JobKinds, JobStepPlan } from './job-kinds.js';

/**
 * Jobs of deletions. A deleted site or workspace is 404 from its deletion on, and cannot be restored: part of
 * its data may already be erased, so that a deletion cannot be cancelled.
 */
export const DELETIONS: JobKinds = {
  'site.delete': {
    isCancellable: false,
    plan: ({ params }) => siteIdsOf(params).flatMap(siteSteps),
  },
  'workspace.delete': {
    isCancellable: false,
    plan: ({ params, workspaceId }) => [
      ...siteIdsOf(params).flatMap(siteSteps),
      here(WORKSPACE_ERASURES, workspaceId, endWorkspace),
    ],
  },
};

/** The other services first: a site's events exceed its data here. */
function siteSteps(siteId: string): readonly JobStepPlan[] {
  const params = { site_id: siteId };
  return [
    ...JOB_STEPS.map((operation) => {
      const name = `${operation.address} ${siteId}`;
      return { place: 'elsewhere', name, operation, step: ERASE_SITE, params } as const;
    }),
    here(SITE_ERASURES, siteId, emptyDeletedSite),
  ];
}

/** Not before each member's tombstone is out: its key names the person, whom the topic still knows until then. */
async function endWorkspace(client: ClientBase, workspaceId: string): Promise<void> {
  await tombstonesGone(client, TOPICS.members.name, workspaceId);
  await emptyDeletedWorkspace(client, workspaceId);
}

type Empty = (client: ClientBase, ownerId: string) => Promise<void>;

function here(erasures: readonly Erasure[], ownerId: string, empty: Empty): JobStepPlan {
  return {
    place: 'here',
    name: `management ${ownerId}`,
    run: async (client: ClientBase): Promise<Piece> => {
      const piece = await eraseSome(client, erasures, ownerId);
      if (piece !== undefined) return piece;
      await empty(client, ownerId);
      return { report: { cursor: null, found: 0, done: 0, stored: 0, failed: 0, errors: [] } };
    },
  };
}

function siteIdsOf({ site_ids: siteIds }: Readonly<Record<string, unknown>>): readonly string[] {
  // Written only by the command that created the job.
  return siteIds as readonly string[];
}
