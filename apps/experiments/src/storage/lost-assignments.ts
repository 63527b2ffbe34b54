import type { AssignedSessionFact } from '@truetally/contracts/facts';
import { inTransaction } from '@truetally/persistence';
import type { Pool } from 'pg';

const GIVEN = `unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[],
  $8::timestamptz[]) as given (assignment_id, experiment_id, site_id, session_id, variant, provider, device, assigned_at)`;

/**
 * Stores the assignments again that a restore of Postgres has undone: pages were told of them, and orders may name them. Not those
 * of experiments that the restore has undone, too. They have no request, so that each is answered as a repetition.
 * @returns those that are as they were: a session that asked first in the meantime was assigned anew
 */
export function restoreAssignments(
  pool: Pool,
  facts: readonly AssignedSessionFact[],
): Promise<readonly AssignedSessionFact[]> {
  if (facts.length === 0) return Promise.resolve([]);
  const rows = facts.toSorted((one, other) => (one.assignment_id < other.assignment_id ? -1 : 1));
  const values = [
    rows.map((row) => row.assignment_id),
    rows.map((row) => row.experiment_id),
    rows.map((row) => row.site_id),
    rows.map((row) => row.session_id),
    rows.map((row) => row.variant),
    rows.map((row) => row.provider),
    rows.map((row) => row.device),
    rows.map((row) => row.assigned_at),
  ];
  return inTransaction(pool, async (client) => {
    await client.query(
      `insert into assignments (assignment_id, experiment_id, site_id, session_id, variant, provider, device,
         assigned_at)
       select given.* from ${GIVEN}
       where exists (select from experiments e
         where e.experiment_id = given.experiment_id and e.site_id = given.site_id)
       on conflict (assignment_id) do nothing`,
      values,
    );
    const kept = await client.query<{ assignment_id: string }>(
      `select assignment_id from ${GIVEN} join assignments using (assignment_id, assigned_at)`,
      values,
    );
    const ids = new Set(kept.rows.map(({ assignment_id }) => assignment_id));
    return facts.filter(({ assignment_id }) => ids.has(assignment_id));
  });
}
