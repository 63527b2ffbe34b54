import { NEW_WORKFLOW, readWorkflow } from '@truetally/contracts/management';
import { newResource, type ResourceCommand } from '@truetally/contracts/resource';
import { UnreadableError } from '@truetally/messaging';
import type { CommandContext, Outcome } from '@truetally/resource';
import type { ClientBase } from 'pg';
import { refusals } from '../domain/refusals.js';
import { MAX_WORKFLOWS_OF_SITE } from '../domain/workflow.js';
import { holdSite } from '../storage/site.store.js';
import { countWorkflows, insertWorkflow, type StoredWorkflow } from '../storage/workflow.store.js';
import { presentWorkflow, workflowFact } from './workflow-fact.js';

/** The gateway has sealed the secret: no topic, table or log contains it. */
export async function createWorkflow(
  client: ClientBase,
  command: ResourceCommand,
  { nowMs }: CommandContext,
): Promise<Outcome> {
  const read = NEW_WORKFLOW.read(command.body);
  if (!read.ok) throw new UnreadableError(read.error);
  const fields = readWorkflow(read.value.fields);
  if (!fields.ok) return refusals.invalid(fields.error);
  const site = await holdSite(client, command.workspace_id, fields.value.site_id);
  if (site === undefined) return refusals.noSite();
  if ((await countWorkflows(client, site.id)) >= MAX_WORKFLOWS_OF_SITE)
    return refusals.quotaExceeded({ quota: 'workflows', most: MAX_WORKFLOWS_OF_SITE });
  const resource = newResource(read.value.id, nowMs);
  const workflow: StoredWorkflow = {
    ...resource,
    workspace_id: command.workspace_id,
    ...fields.value,
    disabled_reason: fields.value.enabled ? null : 'member',
    last_delivered_at: null,
    ...read.value.secret,
    former_secrets: [],
    effective_from: resource.created_at,
  };
  await insertWorkflow(client, workflow);
  return {
    ok: presentWorkflow(workflow),
    facts: [workflowFact(workflow)],
    audit: { action: 'create', resource: 'workflow', resourceId: workflow.id },
  };
}
