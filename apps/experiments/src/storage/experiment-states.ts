import type { ExperimentResource } from '@truetally/contracts/experiments';
import type { ClientBase } from 'pg';
import { SELECT_EXPERIMENTS, toExperiment } from './experiment.store.js';

/** The next experiments by id, which nobody changes until this transaction ends. */
export async function holdExperiments(
  client: ClientBase,
  afterId: string | undefined,
  limit: number,
): Promise<readonly ExperimentResource[]> {
  const { rows } = await client.query(
    `${SELECT_EXPERIMENTS} where $1::uuid is null or experiment_id > $1
     order by experiment_id limit $2 for share`,
    [afterId ?? null, limit],
  );
  return rows.map((row) => toExperiment(row).resource);
}

/** Those of these experiments that this database does not have. */
export async function withoutExperiment(
  client: ClientBase,
  experimentIds: readonly string[],
): Promise<readonly string[]> {
  const { rows } = await client.query<{ experiment_id: string }>(
    `select experiment_id from unnest($1::uuid[]) as known (experiment_id)
     where not exists (select from experiments where experiments.experiment_id = known.experiment_id)`,
    [experimentIds],
  );
  return rows.map((row) => row.experiment_id);
}
