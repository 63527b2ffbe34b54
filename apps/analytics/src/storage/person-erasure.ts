import { randomUUID } from 'node:crypto';
import type { PersonSubjects } from '@truetally/contracts/jobs';
import { SubjectErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import { sessionKeyOf } from '../domain/keys.js';

/**
 * Gives a person's sessions random keys, and takes the person out of their events: sums and funnels stay exact, and lead
 * to nobody.
 */
export function sessionErasure(pool: Pool): SubjectErasure {
  return new SubjectErasure(pool, forgetSessions);
}

async function forgetSessions(
  client: ClientBase,
  siteId: string,
  { sessionIds }: PersonSubjects,
): Promise<number> {
  const keys = sessionIds.map((sessionId) => sessionKeyOf(siteId, sessionId));
  const values = [siteId, keys, keys.map(() => randomUUID())];
  const given = 'from unnest($2::uuid[], $3::uuid[]) as given (known, new)';
  const events = await client.query(
    `update events set session_key = given.new, user_key = null ${given}
     where site_id = $1 and session_key = given.known`,
    values,
  );
  let rows = events.rowCount ?? 0;
  for (const table of ['touches', 'session_quarters', 'basket_products']) {
    const { rowCount } = await client.query(
      `update ${table} set session_key = given.new ${given} where site_id = $1 and session_key = given.known`,
      values,
    );
    rows += rowCount ?? 0;
  }
  return rows;
}
