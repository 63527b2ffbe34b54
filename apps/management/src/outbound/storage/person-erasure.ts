import { SubjectErasure } from '@truetally/service';
import type { Pool } from 'pg';
import { subjectOfSession } from '../domain/trigger-fact.js';

/** Forgets what was delivered of a person's sessions, with what endpoints answered to it; what is pending is not sent. */
export function deliveryErasureOfPerson(pool: Pool): SubjectErasure {
  return new SubjectErasure(pool, async (client, siteId, { sessionIds }) => {
    const { rowCount } = await client.query(
      'delete from deliveries where site_id = $1 and subject = any($2::text[])',
      [siteId, sessionIds.map(subjectOfSession)],
    );
    return rowCount ?? 0;
  });
}
