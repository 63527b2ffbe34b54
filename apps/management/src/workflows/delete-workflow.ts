import type { ResourceCommand } from '@truetally/contracts/resource';
import { TOPICS } from '@truetally/contracts/topics';
import { isStale, type Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { tombstone } from '../jobs/erasures.js';
import { holdOfSite } from '../sites/hold-of-site.js';
import { removeWorkflow, WORKFLOWS } from '../storage/workflow.store.js';

/** Its deliveries go in the background: the second program learns of it by the tombstone. */
export async function deleteWorkflow(client: ClientBase, command: ResourceCommand): Promise<Outcome> {
  const workflow = await holdOfSite(client, command, WORKFLOWS);
  if (workflow === undefined) return refusals.noWorkflow();
  if (isStale(command.version, workflow.version)) return refusals.staleVersion(workflow.version);
  await removeWorkflow(client, workflow.id);
  return {
    ok: { id: workflow.id, deleted: true },
    facts: [tombstone(TOPICS.workflows.name, workflow.id)],
    audit: { action: 'delete', resource: 'workflow', resourceId: workflow.id },
  };
}
