import { ATTRIBUTION_LEDGER } from '@truetally/contracts/attribution';
import { TOPICS } from '@truetally/contracts/topics';
import { groupOfTopic, type Messaging } from '@truetally/messaging';
import { eraseSetAsideNaming } from '@truetally/persistence';
import { afterReading, type ErasesPeople, SubjectErasure } from '@truetally/service';
import type { Pool } from 'pg';

/**
 * Forgets a person's sessions: their touches lose the session and the click value. The ledger has neither. Touches that were sent
 * before their person was erased are stored and published first, so that the erasure finds their sessions, here and in the services
 * that follow them and are asked next.
 */
export function sessionErasure(pool: Pool, messaging: Pick<Messaging, 'lag'>, waitMs?: number): ErasesPeople {
  const groups = [{ group: groupOfTopic(ATTRIBUTION_LEDGER.name, TOPICS.recordTouches.name) }];
  return afterReading(
    { messaging, groups, pool, waitMs },
    new SubjectErasure(pool, async (client, siteId, { sessionIds }) => {
      const { rows } = await client.query<{ forgotten: number }>(
        'select forget_sessions($1, $2)::integer as forgotten',
        [siteId, sessionIds],
      );
      const facts = await eraseSetAsideNaming(client, siteId, sessionIds);
      return (rows[0]?.forgotten ?? 0) + facts;
    }),
  );
}
