import type { ResourceCommand } from '@truetally/contracts/resource';
import type { Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { removeExperiment } from '../storage/experiment.store.js';
import { experimentTombstone } from './experiment-fact.js';
import { lockForChange } from './lock-for-change.js';

/** Only in `draft`: an experiment with assignments keeps its results. */
export async function deleteExperiment(client: ClientBase, command: ResourceCommand): Promise<Outcome> {
  const known = await lockForChange(client, command);
  if ('error' in known) return known;
  const { resource: experiment } = known;
  if (experiment.state !== 'draft') return refusals.onlyDraft(experiment.state);
  await removeExperiment(client, experiment.id);
  return {
    ok: { id: experiment.id, deleted: true },
    facts: [experimentTombstone(experiment.id)],
    audit: { action: 'delete', resource: 'partner_experiment', resourceId: experiment.id },
  };
}
