import { type ResourceCommand, resourceRefusals } from '@truetally/contracts/resource';
import { isStale, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { lockExperiment, removeExperiment } from '../storage/experiment.store.js';
import { experimentTombstone } from './experiment-fact.js';

/** Only in `draft`: an experiment with assignments keeps its results. */
export async function deleteExperiment(client: ClientBase, command: ResourceCommand): Promise<Outcome> {
  const { workspace_id: workspaceId, params, version } = command;
  const known = await lockExperiment(client, workspaceId, params['experiment_id']);
  if (known === undefined) return refusals.noExperiment();
  const { resource: experiment } = known;
  if (isStale(version, experiment.version)) return resourceRefusals.staleVersion(experiment.version);
  if (experiment.state !== 'draft') return refusals.onlyDraft(experiment.state);
  await removeExperiment(client, experiment.id);
  return {
    ok: { id: experiment.id, deleted: true },
    facts: [experimentTombstone(experiment.id)],
    audit: { action: 'delete', resource: 'partner_experiment', resourceId: experiment.id },
  };
}
