import type { ExperimentResource } from '@truetally/contracts/experiments';
import type { ResourceQuery } from '@truetally/contracts/resource';
import type { Reply } from '@truetally/kernel';
import type { Queryable } from '@truetally/resource';
import { refusals } from '../domain/refusals.js';
import { findExperiment } from '../storage/experiment.store.js';

export async function readExperiment(
  client: Queryable,
  { workspace_id, params }: ResourceQuery,
): Promise<Reply<ExperimentResource>> {
  const experiment = await findExperiment(client, workspace_id, params['experiment_id']);
  return experiment === undefined ? refusals.noExperiment() : { ok: experiment.resource };
}
