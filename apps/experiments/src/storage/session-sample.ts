import { randomUUID } from 'node:crypto';
import type { Queryable } from '@truetally/resource';
import type { SampledSession } from '../domain/session-sample.js';

/** As many as one question to analytics may name. */
const SESSIONS = 500;
const LOOKED_AT = 10 * SESSIONS;
/** Ids are hashes of experiment and session: those behind a random one are a random sample, which nobody can keep out of. */
const SAMPLE = `
  with picked as (
    (${countedOnes('>= $2')})
    union all
    (${countedOnes('< $2')})
    limit ${SESSIONS}
  )
  select a.session_id, encode(a.network, 'hex') as network,
    picked.assigned_at < now() - interval '10 minutes' as is_settled
  from picked join assignments a using (assignment_id) where a.session_id <> 'erased'`;

/** Of the next sessions on a side, those that count: many may be excluded, but a bounded number is looked at. */
function countedOnes(side: string): string {
  return `select assignment_id, assigned_at from (
      select assignment_id, assigned_at from session_results where experiment_id = $1 and assignment_id ${side}
      order by assignment_id limit ${LOOKED_AT}) next
    where not exists (select from excluded_sessions x where x.assignment_id = next.assignment_id)
    order by assignment_id limit ${SESSIONS}`;
}

/** A session of the sample, with what it is asked for. */
export interface StoredSample extends SampledSession {
  readonly sessionId: string;
  /** Long enough assigned to have sent an event. */
  readonly isSettled: boolean;
}

/** At most 500 sessions of an experiment, at random: the same cost for any number of them. */
export async function readSample(client: Queryable, experimentId: string): Promise<readonly StoredSample[]> {
  const { rows } = await client.query<{ session_id: string; network: string | null; is_settled: boolean }>({
    name: 'read-session-sample',
    text: SAMPLE,
    values: [experimentId, randomUUID()],
  });
  return rows.map((row) => ({
    sessionId: row.session_id,
    network: row.network,
    isSettled: row.is_settled,
  }));
}
