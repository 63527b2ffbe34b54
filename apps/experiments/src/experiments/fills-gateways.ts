import type { Failure } from '@truetally/kernel';
import type { ClientBase } from 'pg';
import { HELD_EXPERIMENTS_BYTES } from '../domain/experiment.js';
import { refusals } from '../domain/refusals.js';
import { heldExperiments } from '../storage/experiment.store.js';

/** Whether gateways, which hold the experiments of all workspaces, have no room for more of this one's. */
export async function fillsGateways(
  client: ClientBase,
  workspaceId: string,
): Promise<{ readonly error: Failure } | undefined> {
  const held = await heldExperiments(client, workspaceId);
  for (const [quota, whose] of [
    ['workspace_experiment_bytes', 'workspace'],
    ['installation_experiment_bytes', 'installation'],
  ] as const) {
    const most = HELD_EXPERIMENTS_BYTES[whose];
    if (held[whose] >= most) return refusals.gatewaysFull(quota, most);
  }
  return undefined;
}
