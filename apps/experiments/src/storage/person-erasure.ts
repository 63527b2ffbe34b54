import type { PersonSubjects } from '@truetally/contracts/jobs';
import { eraseSetAsideNaming } from '@truetally/persistence';
import { SubjectErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import { assignmentIdOf, sessionKeyOf } from '../domain/names.js';

/**
 * Forgets a person's sessions: their touches are deleted, and their assignments lose the session. What they add to the
 * results stays, because a result without some of its sessions would be another experiment's.
 */
export function sessionErasure(pool: Pool): SubjectErasure {
  return new SubjectErasure(pool, eraseSessions);
}

async function eraseSessions(
  client: ClientBase,
  siteId: string,
  { sessionIds }: PersonSubjects,
): Promise<number> {
  const keys = sessionIds.map((sessionId) => sessionKeyOf(siteId, sessionId));
  const touches = await client.query(
    'delete from touches where session_key = any($1::uuid[]) or claimed_by = any($1::uuid[])',
    [keys],
  );
  const { rows } = await client.query<{ experiment_id: string }>(
    `select experiment_id from experiments where site_id = $1 and state <> 'draft'`,
    [siteId],
  );
  let forgotten = 0;
  for (const { experiment_id: experimentId } of rows) {
    const ids = sessionIds.map((sessionId) => assignmentIdOf(experimentId, sessionId));
    const outcome = await client.query<{ forgotten: number }>(
      'select forget_sessions($1, $2)::integer as forgotten',
      [siteId, ids],
    );
    forgotten += outcome.rows[0]?.forgotten ?? 0;
  }
  const facts = await eraseSetAsideNaming(client, siteId, sessionIds);
  return (touches.rowCount ?? 0) + forgotten + facts;
}
