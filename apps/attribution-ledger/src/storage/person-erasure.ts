import { eraseSetAsideNaming } from '@truetally/persistence';
import { SubjectErasure } from '@truetally/service';
import type { Pool } from 'pg';

/** Forgets a person's sessions: their touches lose the session and the click value. The ledger has neither. */
export function sessionErasure(pool: Pool): SubjectErasure {
  return new SubjectErasure(pool, async (client, siteId, { sessionIds }) => {
    const { rows } = await client.query<{ forgotten: number }>(
      'select forget_sessions($1, $2)::integer as forgotten',
      [siteId, sessionIds],
    );
    const facts = await eraseSetAsideNaming(client, siteId, sessionIds);
    return (rows[0]?.forgotten ?? 0) + facts;
  });
}
