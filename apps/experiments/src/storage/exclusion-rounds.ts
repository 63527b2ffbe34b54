import type { ExclusionChange, ExperimentResource } from '@truetally/contracts/experiments';
import type { Queryable } from '@truetally/resource';
import type { ClientBase, Pool } from 'pg';
import { MAX_EXCLUSION_CHANGES } from '../domain/experiment.js';

/** From the first new session until a round looks at it: not a round for each, and no more than a fifth of the time. */
const NEW_SESSIONS_WAIT = `greatest(interval '30 seconds', 4 * lasted)`;
const FIRST_WAIT_S = 1;
const LONGEST_WAIT_S = 60;

/** An experiment whose sessions are to be looked at. */
export interface Round {
  readonly experimentId: string;
  readonly siteId: string;
}

export async function countExclusionChanges(client: ClientBase, experimentId: string): Promise<number> {
  const { rows } = await client.query<{ changes: number }>(
    'select count(*)::integer as changes from exclusion_changes where experiment_id = $1',
    [experimentId],
  );
  return rows[0]?.changes ?? 0;
}

export async function noteExclusionChange(
  client: ClientBase,
  { id, version, updated_at, exclusions }: ExperimentResource,
): Promise<void> {
  await client.query(
    `insert into exclusion_changes (experiment_id, version, sessions_per_network, changed_at) values ($1, $2, $3, $4)`,
    [id, version, exclusions.sessions_per_network, updated_at],
  );
}

/** The experiment's rule has changed: all of its sessions are looked at anew. */
export async function beginRound(
  client: ClientBase,
  { id, site_id }: Pick<ExperimentResource, 'id' | 'site_id'>,
): Promise<void> {
  await client.query(
    `insert into exclusion_rounds (experiment_id, site_id) values ($1, $2)
     on conflict (experiment_id) do update set readmits = true, after_network = default, after_assignment = default,
       started_at = null, has_new = false, checked_until = null, next_at = now(), attempts = 0`,
    [id, site_id],
  );
}

/** New sessions of experiments with a rule are looked at after half a minute, together; later where a round is long. */
export async function awaitRounds(client: ClientBase, experimentIds: readonly string[]): Promise<void> {
  if (experimentIds.length === 0) return;
  await client.query({
    name: 'await-rounds',
    text: `update exclusion_rounds set has_new = true,
        next_at = case when next_at = 'infinity' then now() + ${NEW_SESSIONS_WAIT} else next_at end
      where (next_at = 'infinity' or not has_new) and experiment_id = any($1::uuid[])`,
    values: [experimentIds],
  });
}

/** After a failure: its next turn is later each time, at most a minute. */
export async function postponeRound(pool: Pool, experimentId: string): Promise<void> {
  await pool.query(
    `update exclusion_rounds set attempts = least(attempts + 1, 30),
       next_at = now() + least(${LONGEST_WAIT_S}, ${FIRST_WAIT_S} * 2 ^ attempts) * interval '1 second'
     where experiment_id = $1`,
    [experimentId],
  );
}

/** Every change of an experiment's rule, the newest first, and whether sessions wait to be looked at. */
export async function readExclusions(
  client: Queryable,
  experimentId: string,
): Promise<{ readonly changes: readonly ExclusionChange[]; readonly isPending: boolean }> {
  const changes = await client.query<{ sessions_per_network: number | null; changed_at: Date }>({
    name: 'read-exclusion-changes',
    text: `select sessions_per_network, changed_at from exclusion_changes where experiment_id = $1
      order by version desc limit ${MAX_EXCLUSION_CHANGES}`,
    values: [experimentId],
  });
  const waiting = await client.query({
    name: 'read-exclusion-round',
    text: `select from exclusion_rounds where experiment_id = $1 and next_at < 'infinity'`,
    values: [experimentId],
  });
  return {
    changes: changes.rows.map(({ sessions_per_network, changed_at }) => ({
      sessions_per_network,
      changed_at: changed_at.toISOString(),
    })),
    isPending: waiting.rows.length > 0,
  };
}
