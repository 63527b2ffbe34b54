import type { CompiledWorkflow } from './workflow-index.js';

/** What one comparison reads of a fact costs as much as storing a delivery. */
const LENGTH_OF_A_DELIVERY = 4_096;

/** What a fact costs: the deliveries that it may cause, and the comparisons of its text that they take. */
export function costOf(length: number, workflows: readonly Pick<CompiledWorkflow, 'record'>[]): number {
  const conditions = workflows.reduce((sum, { record }) => sum + record.conditions.length, 0);
  return workflows.length + Math.ceil((Math.max(1, conditions) * length) / LENGTH_OF_A_DELIVERY);
}

/**
 * Of which workspaces the facts of a call wait in line: those of which some wait already, so that their order stays, and the most
 * costly ones of what is too much for one call. Whoever has little never waits for whoever has much.
 * @param costs of the call by workspace
 */
export function workspacesToPark(
  costs: ReadonlyMap<string, number>,
  waiting: ReadonlySet<string>,
  mostCost: number,
): ReadonlySet<string> {
  const parked = new Set<string>();
  let sum = 0;
  for (const [workspaceId, cost] of [...costs].sort(([, one], [, other]) => one - other)) {
    if (!waiting.has(workspaceId)) sum += cost;
    if (waiting.has(workspaceId) || sum > mostCost) parked.add(workspaceId);
  }
  return parked;
}
