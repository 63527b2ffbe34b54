import { WORKFLOW_RECORD } from '@truetally/contracts/facts';
import type { WorkflowResource } from '@truetally/contracts/management';
import { TOPICS } from '@truetally/contracts/topics';
import type { StoredWorkflow } from '../storage/workflow.store.js';

/** The record by which facts are matched and deliveries are signed. */
export function workflowFact(workflow: StoredWorkflow) {
  const { id, workspace_id, site_id, enabled, trigger, action, version, effective_from, updated_at } =
    workflow;
  const value = WORKFLOW_RECORD.encode({
    workflow_id: id,
    workspace_id,
    site_id,
    enabled,
    event_types: trigger.event_types,
    match: trigger.match,
    conditions: trigger.conditions,
    url: action.url,
    secret: { key_id: workflow.key_id, sealed: workflow.sealed },
    former_secrets: workflow.former_secrets,
    version,
    effective_from,
    updated_at,
  });
  return { topic: TOPICS.workflows.name, key: id, value };
}

/** What clients read of a stored workflow. */
export function presentWorkflow(workflow: StoredWorkflow): WorkflowResource {
  const { id, workspace_id, site_id, name, trigger, action, enabled, disabled_reason } = workflow;
  const { last_delivered_at, version, created_at, updated_at } = workflow;
  const times = { version, created_at, updated_at };
  const states = { enabled, disabled_reason, last_delivered_at };
  return { id, workspace_id, site_id, name, trigger, action, ...states, ...times };
}
