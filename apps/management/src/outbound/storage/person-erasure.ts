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
    const subjects = [siteId, sessionIds.map(subjectOfSession)];
    // First those in line: what becomes deliveries meanwhile is among them.
    const { rowCount } = await client.query(
      'delete from parked_facts where site_id = $1 and subject = any($2::text[])',
      subjects,
    );
    const parked = rowCount ?? 0;
    const ids = await deleteDeliveries(client, 'where site_id = $1 and subject = any($2::text[])', subjects);
    if (ids.length === 0) return parked;
    await client.query(`delete from inbox where reply #>> '{ok,data,id}' = any($1)`, [ids]);
    await client.query(`delete from idempotent_replies where data ->> 'id' = any($1)`, [ids]);
    return parked + ids.length;
  });
}
