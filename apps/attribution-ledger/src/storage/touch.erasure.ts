import type { JobStepReport } from '@truetally/contracts/jobs';
import { stepOnce } from '@truetally/persistence';
import type { ClientBase, Pool } from 'pg';

const TOUCHES_PER_STEP = 2_000;
/** 16 MiB of the table. */
const BLOCKS_PER_STEP = 2_048;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const PLACE = /^(touches|awaited)\/([^/]+)\/([0-9a-f-]*)$/;

/** Takes away what tells of visitors of a site, step by step. Its ledger and its rules stay. */
export class TouchErasure {
  constructor(private readonly pool: Pool) {}

  /**
   * One step: first nothing of the site is recorded any more, then its touches go with their click values, newest
   * first, then what its orders waited for.
   * @param name of this very step: asked for again under it, nothing is done and the first report is given
   * @throws what Postgres says; the step may be asked for again
   */
  step(name: string, siteId: string, cursor: string | null): Promise<JobStepReport> {
    return stepOnce(this.pool, { name, cursor }, (client) => eraseNext(client, siteId, cursor));
  }
}

async function eraseNext(client: ClientBase, siteId: string, cursor: string | null): Promise<JobStepReport> {
  if (cursor === null) return begin(client, siteId);
  const [, table, place = '', id = ''] = PLACE.exec(cursor) ?? [];
  if (table === 'touches') return eraseTouches(client, siteId, place, id);
  if (table === 'awaited') return eraseAwaited(client, siteId, Number(place));
  throw new Error('The cursor is none of these steps’.');
}

async function begin(client: ClientBase, siteId: string): Promise<JobStepReport> {
  await client.query('select mark_erased($1)', [siteId]);
  const { rows } = await client.query<{ touches: number }>(
    'select count(*)::float8 as touches from touches where site_id = $1',
    [siteId],
  );
  return report({ cursor: `touches/infinity/${LAST_ID}`, found: rows[0]?.touches ?? 0 });
}

async function eraseTouches(
  client: ClientBase,
  siteId: string,
  before: string,
  beforeId: string,
): Promise<JobStepReport> {
  const { rows } = await client.query<{ erased: number; last: string | null; id: string | null }>(
    `select erased::float8 as erased, last_recorded_at::text as last, last_id as id
     from erase_touches($1, $2, $3, $4)`,
    [siteId, before, beforeId, TOUCHES_PER_STEP],
  );
  const { erased = 0, last = null, id = null } = rows[0] ?? {};
  return report({ cursor: last === null ? 'awaited/0/' : `touches/${last}/${String(id)}`, done: erased });
}

/** No index begins with the site: the table is read from its first block to its last. Only touches are counted. */
async function eraseAwaited(client: ClientBase, siteId: string, block: number): Promise<JobStepReport> {
  const end = block + BLOCKS_PER_STEP;
  await client.query(
    `delete from awaited_touches where ctid >= format('(%s,0)', $2::bigint)::tid
       and ctid < format('(%s,0)', $3::bigint)::tid and site_id = $1`,
    [siteId, block, end],
  );
  const { rows } = await client.query<{ blocks: number }>(
    `select (pg_relation_size('awaited_touches') / current_setting('block_size')::integer)::float8 as blocks`,
  );
  return report({ cursor: end < (rows[0]?.blocks ?? 0) ? `awaited/${end}/` : null });
}

function report(given: Partial<JobStepReport> & Pick<JobStepReport, 'cursor'>): JobStepReport {
  return { found: 0, done: 0, stored: 0, failed: 0, errors: [], ...given };
}
