import { randomUUID } from 'node:crypto';
import { PRODUCT_FEED, PRODUCTS_SYNC } from '@truetally/contracts/management';
import { SETTLEMENTS_PULL } from '@truetally/contracts/publisher';
import { appendToOutbox, inTransaction, type OutboxRelay } from '@truetally/persistence';
import { type Logger, repeatedly, type Repetition } from '@truetally/platform';
import type { Pool } from 'pg';
import { beginJob } from '../jobs/begin-job.js';
import { isAnyPullDue, type PullIntervals, takeDueIntegrations } from '../storage/pull.store.js';

export interface PullSchedulerOptions {
  readonly pool: Pool;
  readonly relay: Pick<OutboxRelay, 'wake'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly intervals: PullIntervals;
}

const LOOK_MS = 2_000;
const INTEGRATIONS_AT_ONCE = 20;

/**
 * Begins a pull for each due integration. Selecting them, setting their next time and creating their jobs is
 * one transaction: of several replicas only one begins each pull.
 */
export function schedulePulls(options: PullSchedulerOptions): Repetition {
  const failure = 'Pulls that are due could not be begun; it is tried again.';
  return repeatedly({ everyMs: LOOK_MS, log: options.log, failure }, async () => {
    if ((await beginDue(options)) > 0) options.relay.wake();
  });
}

async function beginDue({ pool, intervals }: PullSchedulerOptions): Promise<number> {
  if (!(await isAnyPullDue(pool))) return 0;
  return inTransaction(pool, async (client) => {
    const due = await takeDueIntegrations(client, intervals, INTEGRATIONS_AT_ONCE);
    const context = { nowMs: Date.now(), newId: randomUUID };
    const facts = [];
    for (const { id, provider, siteId, workspaceId } of due) {
      const platform = { workspace_id: workspaceId, actor: null };
      const params = { site_id: siteId, integration_ids: [id] };
      const type = provider === PRODUCT_FEED ? PRODUCTS_SYNC : SETTLEMENTS_PULL;
      const job = await beginJob(client, platform, context, { type, params });
      facts.push(job.fact);
    }
    await appendToOutbox(client, facts);
    return due.length;
  });
}
