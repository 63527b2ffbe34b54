import { SubjectErasure } from '@truetally/service';
import type { Pool } from 'pg';
import { subjectOfSession } from '../domain/trigger-fact.js';
import { deleteDeliveries } from './delete-deliveries.js';

/**
 * Forgets what was delivered of a person's sessions, with what endpoints answered to it, also in kept replies to members who had
 * it sent again; what is pending is not sent.
 */
export function deliveryErasureOfPerson(pool: Pool): SubjectErasure {
  return new SubjectErasure(pool, async (client, siteId, { sessionIds }) => {
    const ids = await deleteDeliveries(client, 'where site_id = $1 and subject = any($2::text[])', [
      siteId,
      sessionIds.map(subjectOfSession),
    ]);
    if (ids.length === 0) return 0;
    await client.query(`delete from inbox where reply #>> '{ok,data,id}' = any($1)`, [ids]);
    await client.query(`delete from idempotent_replies where data ->> 'id' = any($1)`, [ids]);
    return ids.length;
  });
}
