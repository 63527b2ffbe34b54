import type { JobStepReport } from '@truetally/contracts/jobs';
import { deleteOfSite } from '@truetally/persistence';
import { erasureReport, SiteErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import { deleteDeliveries } from './delete-deliveries.js';

const ROWS_PER_STEP = 1_000;

/** Erases the deliveries of a deleted site, with their attempts and facts, and then the queues of its workflows. */
export function outboundErasure(pool: Pool): SiteErasure {
  return new SiteErasure(pool, eraseNext, { hasOutbox: true });
}

async function eraseNext(client: ClientBase, siteId: string, cursor: string | null): Promise<JobStepReport> {
  const parked = await deleteOfSite(client, { table: 'parked_facts' }, siteId, ROWS_PER_STEP);
  const { length } = await deleteDeliveries(client, 'where site_id = $1 limit $2', [siteId, ROWS_PER_STEP]);
  // Its workflows are deleted too, and their deliveries forgotten at the same time: of those that both find one deletes none.
  const { rowCount: left } = await client.query('select from deliveries where site_id = $1 limit 1', [
    siteId,
  ]);
  const queues = left === 0 ? await deleteOfSite(client, { table: 'queues' }, siteId, ROWS_PER_STEP) : 0;
  const isLast = left === 0 && Math.max(parked, queues) < ROWS_PER_STEP;
  const rows = parked + length + queues;
  // The next step needs another cursor.
  return erasureReport({ cursor: isLast ? null : `more/${after(cursor)}`, found: rows, done: rows });
}

function after(cursor: string | null): number {
  return Number(/^more\/(\d+)$/.exec(cursor ?? '')?.[1] ?? 0) + 1;
}
