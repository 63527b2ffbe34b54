import { EXPERIMENTS } from '@truetally/contracts/experiments';
import type { PersonSubjects } from '@truetally/contracts/jobs';
import { TOPICS } from '@truetally/contracts/topics';
import { groupOfTopic, type Messaging } from '@truetally/messaging';
import { eraseSetAsideNaming } from '@truetally/persistence';
import { afterReading, type ErasesPeople, SubjectErasure } from '@truetally/service';
import type { ClientBase, Pool } from 'pg';
import { assignmentIdOf, sessionKeyOf } from '../domain/names.js';
import { TOUCHES_GROUP } from '../learn-surroundings/learn-surroundings.js';

/** What was told, or sent by clients, before a person was erased is stored first, so that the erasure finds it. */
const GROUPS = [
  { group: TOUCHES_GROUP },
  { group: groupOfTopic(EXPERIMENTS.name, TOPICS.assignSession.name) },
];

/**
 * Forgets a person's sessions: their touches are deleted, and their assignments lose the session. What they add to the
 * results stays, because a result without some of its sessions would be another experiment's. Assignments that name them are
 * published first, those that are published again, too.
 */
export function sessionErasure(pool: Pool, messaging: Pick<Messaging, 'lag'>, waitMs?: number): ErasesPeople {
  const options = { messaging, groups: GROUPS, pool, waitMs };
  return afterReading(options, new SubjectErasure(pool, eraseSessions));
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
