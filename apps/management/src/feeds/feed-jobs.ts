import { PRODUCTS_SYNC, READ_FEED } from '@truetally/contracts/management';
import { OPERATIONS } from '@truetally/contracts/topics';
import { formatInstant } from '@truetally/kernel';
import type { ClientBase } from 'pg';
import type { JobKinds, JobStepPlan } from '../jobs/job-kinds.js';
import { discontinue, namedAfter } from '../storage/feed-items.store.js';
import { keepValidators, lockReadFeed } from '../storage/feed.store.js';
import type { Piece } from '../storage/job-leases.js';
import { storeSync } from '../storage/pull.store.js';

const NOTHING = { found: 0, done: 0, stored: 0, failed: 0, errors: [] };
const PRODUCTS_PER_PIECE = 2_000;
/** Each waits for a merchant's server most of the time, for up to half an hour. */
const FEEDS_AT_ONCE = 4;

/**
 * The second program reads a feed and hands its rows over while it reports how far it is; then what the feed names no longer is
 * discontinued here. Rows are independent, so that it can be cancelled (docs/decisions/product-feeds.md).
 */
export const FEED_JOBS: JobKinds = {
  [PRODUCTS_SYNC]: {
    isCancellable: true,
    atOnce: FEEDS_AT_ONCE,
    plan: ({ jobId, params, holder }) =>
      // Written only by the command that created the job.
      (params['integration_ids'] as readonly string[]).flatMap((id) => [
        reading(id, holder),
        {
          place: 'here',
          name: finishing(id),
          run: (client: ClientBase, cursor: string | null) => finishSome(client, id, jobId, cursor),
        },
      ]),
  },
};

function finishing(id: string): string {
  return `finish-feed ${id}`;
}

function reading(id: string, holder: string): JobStepPlan {
  return {
    place: 'elsewhere',
    name: `${READ_FEED} ${id}`,
    operation: OPERATIONS.runFeedStep,
    step: READ_FEED,
    params: { integration_id: id, holder },
    refused: (client, message) => synced(client, id, message),
    without: [finishing(id)],
  };
}

/** One piece: some of the products that the feed has ever named. */
async function finishSome(
  client: ClientBase,
  integrationId: string,
  jobId: string,
  cursor: string | null,
): Promise<Piece> {
  const feed = await lockReadFeed(client, integrationId, jobId);
  if (feed === undefined) return { report: { ...NOTHING, cursor: null } };
  if (feed.isRead) {
    const place = { siteId: feed.siteId, integrationId };
    const some = await namedAfter(client, place, cursor ?? '', PRODUCTS_PER_PIECE);
    const gone = some.filter(({ runId }) => runId !== feed.runId).map(({ productId }) => productId);
    await discontinue(client, place, gone, formatInstant(Date.now()));
    const last = some.at(-1);
    if (last !== undefined && some.length === PRODUCTS_PER_PIECE)
      return { report: { ...NOTHING, cursor: last.productId } };
    await keepValidators(client, integrationId);
  }
  await synced(client, integrationId, null);
  return { report: { ...NOTHING, cursor: null } };
}

function synced(client: ClientBase, integrationId: string, error: string | null): Promise<void> {
  const outcome = error === null ? 'synced' : 'refused';
  return storeSync(client, { integration_id: integrationId, outcome, error, at: formatInstant(Date.now()) });
}
