import type { JobStepReport } from '@truetally/contracts/jobs';
import { deleteOfSite } from '@truetally/persistence';
import { erasureReport, SiteErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';

/** References first: attempts of a site, its deliveries, the queues of its workflows. */
const TABLES = ['attempts', 'deliveries', 'queues'] as const;
const ROWS_PER_STEP = 1_000;

/** Erases the deliveries of a deleted site. */
export function outboundErasure(pool: Pool, rowsPerStep = ROWS_PER_STEP): SiteErasure {
  return new SiteErasure(pool, (client, siteId, cursor) => eraseNext(client, siteId, cursor, rowsPerStep), {
    hasOutbox: true,
  });
}

async function eraseNext(
  client: ClientBase,
  siteId: string,
  cursor: string | null,
  most: number,
): Promise<JobStepReport> {
  let rows = 0;
  for (const table of TABLES) {
    const erased = await deleteOfSite(client, { table }, siteId, most - rows);
    rows += erased;
    // The next step needs another cursor.
    if (rows >= most) return erasureReport({ cursor: `more/${after(cursor)}`, found: rows, done: rows });
  }
  return erasureReport({ cursor: null, found: rows, done: rows });
}

function after(cursor: string | null): number {
  return Number(/^more\/(\d+)$/.exec(cursor ?? '')?.[1] ?? 0) + 1;
}
