import type { JobStepReport } from '@truetally/contracts/jobs';
import { deleteOfSite } from '@truetally/persistence';
import { erasureReport, SiteErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';

/** References first: attempts of a site, its deliveries, their facts, the queues of its workflows. */
const TABLES = ['attempts', 'deliveries', 'facts', 'queues'] as const;
const ROWS_PER_STEP = 1_000;

/** Erases the deliveries of a deleted site. */
export function outboundErasure(pool: Pool): SiteErasure {
  return new SiteErasure(pool, eraseNext, { hasOutbox: true });
}

async function eraseNext(client: ClientBase, siteId: string, cursor: string | null): Promise<JobStepReport> {
  let rows = 0;
  for (const table of TABLES) {
    const erased = await deleteOfSite(client, { table }, siteId, ROWS_PER_STEP - rows);
    rows += erased;
    // The next step needs another cursor.
    if (rows >= ROWS_PER_STEP)
      return erasureReport({ cursor: `more/${after(cursor)}`, found: rows, done: rows });
  }
  return erasureReport({ cursor: null, found: rows, done: rows });
}

function after(cursor: string | null): number {
  return Number(/^more\/(\d+)$/.exec(cursor ?? '')?.[1] ?? 0) + 1;
}
