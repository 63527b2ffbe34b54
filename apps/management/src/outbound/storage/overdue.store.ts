import { arrayLiteral, inTransaction } from '@truetally/persistence';
import type { Pool } from 'pg';
import { lockQueues, type OrderedSubject, promoteSubjects, refreshQueues } from './queue.store.js';

const QUEUES_PER_PIECE = 20;
const ROWS_PER_PIECE = 500;
/** What is under way ends by its own outcome. */
const OVERDUE = `not is_enabled and status = 'pending' and lane <> 0 and deadline_at <= now()
  and (claimed_until is null or claimed_until <= now())`;

/**
 * Deliveries of a disabled workflow have no attempt that could end them: after their 24 hours they are dead, and can be replayed.
 * @returns whether there may be more: of other workflows, too
 */
export function endOverdue(pool: Pool): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const queues = await client.query<{ workflow_id: string }>(
      `select distinct workflow_id from deliveries join queues using (workflow_id)
       where ${OVERDUE} and not is_deleted
       limit ${QUEUES_PER_PIECE}`,
    );
    const ids = queues.rows.map(({ workflow_id }) => workflow_id);
    if (ids.length === 0) return false;
    await lockQueues(client, ids);
    const { rows } = await client.query<OrderedSubject>(
      `update deliveries set status = 'dead', next_attempt_at = null, claim = null, claimed_until = null
       where delivery_id = any (array(
         select delivery_id from deliveries join queues using (workflow_id)
         where workflow_id = any($1::uuid[]) and ${OVERDUE}
         order by deadline_at limit ${ROWS_PER_PIECE}))
       returning workflow_id, subject, lane`,
      [arrayLiteral(ids)],
    );
    await promoteSubjects(client, rows);
    await refreshQueues(client, ids);
    return rows.length > 0;
  });
}
