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
  const { workspace, installation } = await heldExperiments(client, workspaceId);
  const others = installation - workspace;
  // A workspace may have half of what the others leave, so that there is always room for one more.
  const share = Math.floor((HELD_EXPERIMENTS_BYTES.installation - others) / 2);
  const most = Math.min(HELD_EXPERIMENTS_BYTES.workspace, share);
  return workspace >= most ? refusals.gatewaysFull(Math.max(0, most)) : undefined;
}
