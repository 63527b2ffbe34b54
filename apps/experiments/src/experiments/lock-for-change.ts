import { type ResourceCommand, resourceRefusals } from '@truetally/contracts/resource';
import type { Failure } from '@truetally/kernel';
import { isStale } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { lockExperiment, type StoredExperiment } from '../storage/experiment.store.js';

/** The experiment that a command changes, locked, as its caller has read it; or why there is none. */
export async function lockForChange(
  client: ClientBase,
  { workspace_id: workspaceId, params, version }: ResourceCommand,
): Promise<StoredExperiment | { readonly error: Failure }> {
  const known = await lockExperiment(client, workspaceId, params['experiment_id']);
  if (known === undefined) return refusals.noExperiment();
  const current = known.resource.version;
  return isStale(version, current) ? resourceRefusals.staleVersion(current) : known;
}
